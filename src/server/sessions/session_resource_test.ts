import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { readSession } from "./session_resource.ts";

Deno.test("readSession() takes a look back that its reader does not wait for", async () => {
  const handle = "00000000-0000-0000-0000-000000000000";
  const signals: (AbortSignal | undefined)[] = [];
  const read = await readSession(`run-python://sessions/${handle}`, {
    owner: { name: "ada", connection: undefined },
    sessions: {
      list: () => [],
      info: () => Promise.resolve({ session: handle } as never),
      // A run is under way, and does not end.
      maybeLook(_handle, _owner, _request, options) {
        signals.push(options?.signal);
        return new Promise<RunResult>(() => {});
      },
    },
  });
  assertMatch(read.text, /Code is running: read again later/);
  assertEquals(signals.map((signal) => signal?.aborted), [true, true]);
});
