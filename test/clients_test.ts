/**
 * What docs/clients.md says of clients, as far as the official client can show it.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import { startServer } from "./support/server.ts";

Deno.test("--error-results returns failed calls as results like others", async () => {
  for (const mode of ["xml", "json"]) {
    await using server = await startServer([
      ...["--error-results", "--return-mode", mode],
    ]);
    const failed = await server.call("print('so far')\n1 / 0");
    assertEquals([failed.isError, failed.status], [false, "run-error"]);
    assert(failed.text.includes("run-error"), failed.text);
    assert(failed.text.includes("ZeroDivisionError"), failed.text);
    assert(failed.error?.includes("ZeroDivisionError"));
    const late = await server.call("while True: pass", { timeout: 0.2 });
    assertEquals([late.isError, late.status], [false, "timeout"]);
    const wrong = await server.call("1", { timeout: 0 });
    assertEquals([wrong.isError, wrong.status], [false, "invalid-arguments"]);
  }
});
