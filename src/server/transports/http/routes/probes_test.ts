import { assertEquals, assertMatch } from "../../../../../deps/assert.ts";
import { maybeProbe } from "./probes.ts";

Deno.test("maybeProbe() tells the state of a server, and not its own reason", async () => {
  const reason = "Cannot install secret-package";
  const unready = { state: "failed", reason } as const;
  const response = maybeProbe(new Request("http://localhost/readyz"), {
    unready,
  });
  const text = await response?.text();
  assertEquals(response?.status, 503);
  assertMatch(`${text}`, /^\{"state":"failed","reason":"Packages could not/);
  assertEquals(text?.includes("secret"), false);
  assertEquals(
    maybeProbe(new Request("http://localhost/healthz"), { unready })?.status,
    200,
  );
  assertEquals(
    maybeProbe(new Request("http://localhost/mcp"), { unready }),
    undefined,
  );
});
