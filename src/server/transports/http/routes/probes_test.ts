import { assertEquals, assertMatch } from "../../../../../deps/assert.ts";
import { probeRoutes } from "./probes.ts";

Deno.test("probeRoutes() tells the state of a server, and not its own reason", async () => {
  const reason = "Cannot install secret-package";
  const unready = { state: "failed", reason } as const;
  const { "/readyz": ready, "/healthz": health } = probeRoutes({ unready });
  const response = ready?.(new Request("http://localhost/readyz"));
  const text = await response?.text();
  assertEquals(response?.status, 503);
  assertMatch(`${text}`, /^\{"state":"failed","reason":"Packages could not/);
  assertEquals(text?.includes("secret"), false);
  assertEquals(health?.(new Request("http://localhost/healthz")).status, 200);
});
