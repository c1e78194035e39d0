import { CallsUnderWay } from "./calls_under_way.ts";
import { openShares } from "./shares.ts";
import { assert, assertEquals } from "../../deps/assert.ts";
import { REQUEST, SERVER_SETTINGS } from "../../test/support/request.ts";
import type { CodeModeStart } from "../protocol/code_mode.ts";
import type { ListedServer } from "../protocol/downstream.ts";
import type { RunRequest } from "../protocol/run_messages.ts";
import type { RunResult } from "../protocol/run_result.ts";
import { Approvals } from "./code_mode/approvals.ts";
import { CodeMode, type CodeModeParts } from "./code_mode/code_mode.ts";
import { NO_PARTS } from "../../test/support/no_parts.ts";
import type { CodeOfCall } from "./contracts/contract.ts";
import { ConnectionFiles, openFileStores } from "./files/connection_files.ts";
import { LogMessages } from "./live/log_messages.ts";
import { type CallContext, runForCall } from "./run_for_call.ts";
import { RunLog } from "./run_log.ts";
import type { SessionCall } from "./sessions/kept_session.ts";

const LISTED: ListedServer[] = [{
  ...{ name: "Get-Time", transport: "stdio", source: "f" },
  ...{ fingerprint: "1", revision: "1" },
}];

/** Runs a call in code mode; gives what the run was given, and its result. */
async function runCall(
  code: Partial<CodeOfCall>,
  some: Partial<CallContext> = {},
) {
  const audited: unknown[] = [];
  const parts: CodeModeParts = {
    ...NO_PARTS,
    hub: { ...NO_PARTS.hub, servers: () => Promise.resolve(LISTED) },
  };
  const given: { request: RunRequest; call: SessionCall }[] = [];
  const signal = new AbortController().signal;
  const context: CallContext = {
    sessions: {
      run(_handle, _owner, request, call = {}): Promise<RunResult> {
        given.push({ request, call });
        call.onOutput?.("stdout", "out\n");
        call.onOutput?.("stderr", "err\n");
        const output = ["out", "err"];
        return Promise.resolve({ status: "success", returnValue: 1, output });
      },
      end: () => Promise.reject(new RangeError("There is no session")),
    },
    owner: { name: "o", connection: "c" },
    files: new ConnectionFiles(
      ...[
        SERVER_SETTINGS,
        "",
        openFileStores(openShares(SERVER_SETTINGS)),
      ] as const,
    ),
    logMessages: new LogMessages(),
    showsPages: false,
    tellResourcesChanged() {},
    // The parts of a request that a run without progress takes.
    mcpReq: { signal, log: () => Promise.resolve() } as unknown as CallContext[
      "mcpReq"
    ],
    client: { name: "client" },
    id: "1-1",
    ...{ approvals: new Approvals(), asking: undefined },
    runs: new RunLog([{
      onNote: ({ id }, ...line) => void audited.push([id === "1-1", ...line]),
      onEnd() {},
    }]),
    place: new CallsUnderWay().enter({ name: "o", connection: "c" }),
    ending: signal,
    codeMode: new CodeMode(parts),
    ...some,
  };
  const finished = await runForCall(
    { request: REQUEST, files: [], ...code },
    context,
  );
  return { given, finished, audited };
}

Deno.test("runForCall() gives code of code mode its start, its host calls their run, and output by stream", async () => {
  const { given: [run], finished, audited } = await runCall({
    servers: ["Get-Time"],
  });
  assert(run);
  const { request, call } = run;
  const start: CodeModeStart = JSON.parse(String(request.codeMode));
  assertEquals(start.servers, [{ name: "Get-Time", alias: "get_time" }]);
  assertEquals(call.codeMode?.servers, ["Get-Time"]);
  assertEquals(call.codeMode?.owner, "o");
  call.codeMode?.audit("call", { tool: "t" });
  assertEquals(audited, [[true, "call", { tool: "t" }]]);
  assertEquals(finished.streams, { stdout: ["out"], stderr: ["err"] });
});

Deno.test("runForCall() gives other code no part of code mode", async () => {
  const { given: [run], finished } = await runCall({});
  assert(run && !("codeMode" in run.request) && !("codeMode" in run.call));
  assert(!("streams" in finished));
});

const OWNER = { name: "o", connection: "c" };
const LIMIT = { ms: 1, describe: () => "It has waited." };
const CANCELLED: RunResult = { status: "cancelled", error: "", output: [] };
const DONE: RunResult = { status: "success", returnValue: 1, output: [] };

Deno.test("runForCall() answers busy as a call has waited too long, whether its wait heeds that or not", async () => {
  const unheeding = Promise.withResolvers<RunResult>();
  for (const isHeeded of [true, false]) {
    const place = new CallsUnderWay().enter(OWNER);
    const { finished } = await runCall({ session: "h" }, {
      ...{ place, waitLimit: LIMIT },
      sessions: {
        run: (_handle, _owner, _request, call = {}) =>
          isHeeded
            ? new Promise((resolve) =>
              call.signal?.addEventListener("abort", () => resolve(CANCELLED))
            )
            : unheeding.promise,
        end: () => Promise.reject(new TypeError("Its session was ended")),
      },
    });
    const { status, ...rest } = finished.result;
    assertEquals(status, "busy");
    assertEquals("error" in rest && rest.error, "It has waited.");
    assert(!place.isWaiting && Number(finished.waitedMs) > 0);
  }
  unheeding.resolve({ ...CANCELLED, session: "h" });
});

Deno.test("runForCall() ends a session that was opened for a call that had left", async () => {
  const late = Promise.withResolvers<RunResult>();
  const ended = Promise.withResolvers<string | undefined>();
  await runCall({ session: "new" }, {
    waitLimit: LIMIT,
    sessions: {
      run: () => late.promise,
      end(handle) {
        ended.resolve(handle);
        return Promise.reject(new RangeError("There is no session"));
      },
    },
  });
  late.resolve({ ...CANCELLED, session: "h" });
  assertEquals(await ended.promise, "h");
});

Deno.test("runForCall() never ends a run that has begun for its wait, and begins none that was ended", async () => {
  for (const isLate of [true, false]) {
    const place = new CallsUnderWay().enter(OWNER);
    const { finished } = await runCall({}, {
      place,
      sessions: {
        run(_handle, _owner, _request, { signal, onStart } = {}) {
          if (isLate) onStart?.();
          place.leave("It has waited.");
          assertEquals(signal?.aborted, !isLate);
          return Promise.resolve(isLate ? DONE : CANCELLED);
        },
        end: () => Promise.reject(new TypeError("There is no session")),
      },
    });
    assertEquals(finished.result.status, isLate ? "success" : "busy");
    // An answer that has begun to leave does not change.
    place.leave("It has waited.");
    assertEquals(place.leaving.aborted, !isLate);
  }
});
