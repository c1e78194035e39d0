import { assertEquals } from "../../../deps/assert.ts";
import { hideSecrets } from "./hide_secrets.ts";

Deno.test("hideSecrets() hides values of variables, and leaves short words", () => {
  assertEquals(
    hideSecrets("stdio: bad key sk-12345-more, not sk-12345", {
      ...{ name: "a", source: "f", transport: "stdio", command: "x", args: [] },
      env: { A: "sk-12345", B: "sk-12345-more", MODE: "stdio" },
    }),
    "stdio: bad key ***, not ***",
  );
});

Deno.test("hideSecrets() hides values of headers and of a URL's query", () => {
  assertEquals(
    hideSecrets("401 for https://x.example/mcp?key=query-secret: token-abc", {
      ...{ name: "a", source: "f", transport: "http" },
      url: "https://x.example/mcp?key=query-secret",
      headers: { Authorization: "Bearer token-abc" },
    }),
    "401 for https://x.example/mcp?***: ***",
  );
});
