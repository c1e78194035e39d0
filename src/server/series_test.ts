import { assertEquals } from "../../deps/assert.ts";
import { RefusedCalls } from "./series.ts";

Deno.test("RefusedCalls counts refusals by answers of HTTP and by runs, and nothing else", () => {
  const refused = new RefusedCalls();
  for (const status of [200, 403, 429, 429, 500]) refused.note(status);
  for (const status of ["success", "busy", "cancelled"] as const) {
    refused.note(status);
  }
  assertEquals(refused.counts, {
    ...{ unauthorized: 0, forbidden: 1, "unknown-session": 0, "too-large": 0 },
    ...{ "too-many": 2, unavailable: 0, busy: 1, denied: 0 },
    ...{ "invalid-arguments": 0, "install-error": 0, "session-lost": 0 },
  });
});
