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
async function runCall(code: Partial<CodeOfCall>) {
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
  };
  const finished = await runForCall(
    { request: REQUEST, files: [], ...code },
    context,
  );
  const [run] = given;
  assert(run);
  return { ...run, finished, audited };
}

Deno.test("runForCall() gives code of code mode its start, its host calls their run, and output by stream", async () => {
  const { request, call, finished, audited } = await runCall({
    servers: ["Get-Time"],
  });
  const start: CodeModeStart = JSON.parse(String(request.codeMode));
  assertEquals(start.servers, [{ name: "Get-Time", alias: "get_time" }]);
  assertEquals(call.codeMode?.servers, ["Get-Time"]);
  assertEquals(call.codeMode?.owner, "o");
  call.codeMode?.audit("call", { tool: "t" });
  assertEquals(audited, [[true, "call", { tool: "t" }]]);
  assertEquals(finished.streams, { stdout: ["out"], stderr: ["err"] });
});

Deno.test("runForCall() gives other code no part of code mode", async () => {
  const { request, call, finished } = await runCall({});
  assert(!("codeMode" in request) && !("codeMode" in call));
  assert(!("streams" in finished));
});
