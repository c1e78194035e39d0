import { assertEquals } from "../../../deps/assert.ts";
import { toShown } from "./shown.ts";

Deno.test("toShown() leaves out arguments, users, queries and keys in paths", () => {
  const shown = (url: string) =>
    toShown({ name: "x", source: "f", transport: "http", url, headers: {} });
  assertEquals(
    shown("https://ada:pw@x.example:8443/mcp/v1?key=secret#s"),
    "https://x.example:8443/mcp/v1",
  );
  assertEquals(
    shown("https://x.example/api/s/NDc4YjY0OWQtZTQ5/mcp"),
    "https://x.example/api/s/…/mcp",
  );
  assertEquals(
    toShown({
      ...{ name: "x", source: "f", transport: "stdio", command: "npx" },
      ...{ args: ["--key", "secret"], env: { KEY: "secret" } },
    }),
    "npx",
  );
});
