import type { Server } from "../../deps/mcp_server.ts";
import type { CodeOfCall } from "./contracts/contract.ts";
import type { ConnectionFiles, FinishedRun } from "./files/connection_files.ts";
import { LiveOutput } from "./live/live_output.ts";
import type { LogMessages, LogRequest } from "./live/log_messages.ts";
import { openProgress, type ProgressRequest } from "./live/progress_sender.ts";
import type { ScriptPools } from "./pool/script_pools.ts";

export interface CallContext {
  pools: Pick<ScriptPools, "find">;
  files: ConnectionFiles;
  logMessages: LogMessages;
  server: Pick<Server, "sendResourceListChanged">;
  mcpReq: LogRequest & ProgressRequest;
}

/** Runs the code of a call; the client hears of output and progress first. */
export async function runForCall(
  { request, files: put }: CodeOfCall,
  { pools, files, logMessages, server, mcpReq }: CallContext,
): Promise<FinishedRun> {
  const progress = openProgress(mcpReq);
  const pool = await pools.find(request.code, {
    signal: mcpReq.signal,
    onStep: progress.report,
  });
  const logs = logMessages.open(mcpReq);
  const report = (message: string) => progress.report({ message });
  const live = new LiveOutput(logs.log, report);
  const ran = "run" in pool
    ? await pool.run(request, {
      signal: mcpReq.signal,
      files: put,
      onOutput: (stream, text) => live.take(stream, text),
      onProgress(said) {
        live.leaveProgressToCode();
        progress.report(said);
      },
    })
    : pool;
  live.close();
  await logs.close();
  const finished = files.keep(ran);
  if (finished.result.files) server.sendResourceListChanged().catch(() => {});
  await progress.close();
  return finished;
}
