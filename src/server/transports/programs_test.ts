import { assertEquals } from "../../../deps/assert.ts";
import { fakePool, fakePools } from "../../../test/support/fake_pool.ts";
import { SERVER_SETTINGS } from "../../../test/support/request.ts";
import { Log } from "../../protocol/log_lines.ts";
import type { RunRequest } from "../../protocol/run_messages.ts";
import { servePrograms } from "./programs.ts";

Deno.test("servePrograms() lets no program send a run what the server alone may say", async () => {
  const asked = Promise.withResolvers<RunRequest>();
  const pools = fakePools(fakePool({
    run(request) {
      asked.resolve(request);
      return Promise.resolve({
        ...{ status: "success", returnValue: null, output: [] },
      });
    },
  }));
  const run = {
    ...{ type: "run", id: 1, code: "1", globals: { x: 1 }, timeout: 5 },
    ...{ own: '{"maxRecursionDepth":1e9}', codeMode: "{}", look: "files" },
  };
  const lines = [new TextEncoder().encode(JSON.stringify(run)), null];
  const log = new Log(SERVER_SETTINGS, () => {});
  await servePrograms(
    {
      ...{ log, audit: log, fail: (error) => Promise.reject(error) },
      nextFromClient: () => Promise.resolve(lines.shift() ?? null),
      sendToClient: () => Promise.resolve(),
    },
    {
      ...pools,
      ...{ onInstalled() {}, retrySeconds: 1 },
      shares: {} as never,
    },
    SERVER_SETTINGS,
  );
  assertEquals(await asked.promise, {
    ...{ code: "1", globals: '{"x":1}', timeoutMs: 5000 },
  });
});
