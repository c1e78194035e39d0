import { assertEquals } from "../../deps/assert.ts";
import { urlPath } from "./kinds.ts";

Deno.test("MCP is at a path that the server needs for nothing else", () => {
  const { parse } = urlPath;
  for (const path of ["/mcp", "/a/b", "/status2", "/a/metrics"]) {
    assertEquals(parse(path), path);
  }
  for (const path of ["/", "mcp", "/status", "/metrics", "/healthz"]) {
    assertEquals(parse(path), undefined, path);
  }
  assertEquals(parse("/.well-known/oauth-protected-resource"), undefined);
});
