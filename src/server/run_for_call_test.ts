import { assert, assertEquals } from "../../deps/assert.ts";
import { REQUEST, SERVER_SETTINGS } from "../../test/support/request.ts";
import type { CodeModeStart } from "../protocol/code_mode.ts";
import type { ListedServer } from "../protocol/downstream.ts";
import type { RunRequest } from "../protocol/run_messages.ts";
import type { RunResult } from "../protocol/run_result.ts";
import { CodeMode } from "./code_mode/code_mode.ts";
import { NO_PARTS } from "./code_mode/no_parts.ts";
import type { CodeOfCall } from "./contracts/contract.ts";
import { ConnectionFiles, openFileStores } from "./files/connection_files.ts";
import { LogMessages } from "./live/log_messages.ts";
import { type CallContext, runForCall } from "./run_for_call.ts";
import { RunLog } from "./run_log.ts";
import type { SessionCall } from "./sessions/session_life.ts";

const LISTED: ListedServer[] = [{
  ...{ name: "Get-Time", transport: "stdio", source: "f", fingerprint: "1" },
}];

/** What a run without progress takes of a client's request. */
const REQUEST_PARTS = {
  log: () => Promise.resolve(),
  notify: () => Promise.resolve(),
};

/** Runs a call in code mode; gives what the run was given, and its result. */
async function runCall(code: Partial<CodeOfCall>) {
  const hub = { ...NO_PARTS.hub, servers: () => Promise.resolve(LISTED) };
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
      ...[SERVER_SETTINGS, "", openFileStores(SERVER_SETTINGS)] as const,
    ),
    logMessages: new LogMessages(),
    tellResourcesChanged() {},
    mcpReq: { ...REQUEST_PARTS, signal },
    client: { name: "client" },
    runs: new RunLog([{ needsHash: false, onEnd() {} }]),
    ending: signal,
    codeMode: new CodeMode({ ...NO_PARTS, hub }, { serversAlways: [] }),
  };
  const finished = await runForCall(
    { request: REQUEST, files: [], ...code },
    context,
  );
  const [run] = given;
  assert(run);
  return { ...run, finished };
}

Deno.test("runForCall() gives code of code mode its start, its host calls their run, and output by stream", async () => {
  const { request, call, finished } = await runCall({
    servers: ["Get-Time"],
  });
  const start: CodeModeStart = JSON.parse(String(request.codeMode));
  assertEquals(start.servers, [{ name: "Get-Time", alias: "get_time" }]);
  assertEquals(call.codeMode?.servers, ["Get-Time"]);
  assertEquals(call.codeMode?.owner, "o");
  assertEquals(finished.streams, { stdout: ["out"], stderr: ["err"] });
});

Deno.test("runForCall() gives other code no part of code mode", async () => {
  const { request, call, finished } = await runCall({});
  assert(!("codeMode" in request) && !("codeMode" in call));
  assert(!("streams" in finished));
});
