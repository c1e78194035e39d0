import type { Approvals, Asking } from "./code_mode/approvals.ts";
import { openCodeModeRun } from "./code_mode/open_code_mode_run.ts";
import type { CallRequest } from "./lasting/lasting_call.ts";
import type { CodeOfCall } from "./contracts/contract.ts";
import type { ConnectionFiles, FinishedRun } from "./files/connection_files.ts";
import { LiveOutput } from "./live/live_output.ts";
import type { LogMessages } from "./live/log_messages.ts";
import { openProgress } from "./live/progress_sender.ts";
import type { CodeMode } from "./code_mode/code_mode.ts";
import { MOST_OUTPUT, NOTE_CHARS } from "../protocol/bounds.ts";
import { wantsWhole } from "../protocol/whole_values.ts";
import { StreamCollector } from "../results/code_mode/streams.ts";
import type { RunResult } from "../protocol/run_result.ts";
import type { LoggedClient, RunLog } from "./run_log.ts";
import type { Owner } from "./sessions/kept_session.ts";
import { type InterpreterKind, refusal } from "./pool/pool.ts";
import type { CallUnderWay, WaitLimit } from "./calls_under_way.ts";
import type { Sessions } from "./sessions/sessions.ts";

export interface CallContext {
  sessions: Pick<Sessions, "run" | "end">;
  /** The client, as its sessions know it. */
  owner: Owner;
  files: ConnectionFiles;
  logMessages: LogMessages;
  tellResourcesChanged(): void;
  mcpReq: CallRequest;
  approvals: Approvals;
  /** Undefined if the client cannot ask its user. */
  asking: Asking | undefined;
  client: LoggedClient;
  runs: RunLog;
  /** Of the call. */
  id: string;
  /** Whether the client gets pages at once, and not by links. */
  showsPages: boolean;
  /** The call, which can leave its place until its code begins. */
  place: CallUnderWay;
  /** Undefined if its code may wait without end. */
  waitLimit?: WaitLimit | undefined;
  /** Cancels the run; the call is answered with that. */
  ending: AbortSignal;
  /** Begins the runs whose code may call servers. */
  codeMode?: CodeMode | undefined;
  /** Set if code may call components outside of code mode. */
  components?: object;
}

/** Runs the code of a call; the client hears of output and progress first. */
export async function runForCall(
  { request, files: put, session, servers, waitMs }: CodeOfCall,
  call: CallContext,
): Promise<FinishedRun> {
  const { owner, mcpReq, approvals, asking, place } = call;
  if (waitMs !== undefined) mcpReq.lasting?.due.name(waitMs);
  const progress = openProgress(mcpReq);
  const signal = AbortSignal.any([mcpReq.signal, call.ending, place.leaving]);
  const logs = call.logMessages.open(mcpReq);
  const live = new LiveOutput(logs.log, progress.reportLine);
  const collector = servers && new StreamCollector(MOST_OUTPUT + NOTE_CHARS);
  let interpreter: InterpreterKind | undefined;
  let isLineOpen = false;
  const ran = await call.runs.follow(
    request,
    call.client,
    async (onEnd, onSession, notes) => {
      const callsOthers = servers !== undefined || call.components;
      const begun = callsOthers
        ? await call.codeMode?.begin(owner.name, servers)
        : undefined;
      const codeMode = begun && openCodeModeRun(
        { servers: begun.servers, owner, approvals, asking },
        notes,
      );
      if (codeMode) await call.codeMode?.approveStarts(codeMode, signal);
      const started = begun ? { ...request, codeMode: begun.start } : request;
      place.wait(call.waitLimit);
      const ran = call.sessions.run(session, owner, started, {
        signal,
        files: put,
        onStart: () => place.endWait(),
        onEnd(figures) {
          interpreter = figures.interpreter;
          onEnd(figures);
        },
        onSession,
        waiter: {
          ...{ signal, onStep: progress.report },
          isDetached: () => place.isDetached,
        },
        ...(codeMode ? { codeMode } : {}),
        onOutput(stream, text) {
          collector?.take(stream, text);
          mcpReq.lasting?.printed.push(text);
          live.take(stream, text);
          isLineOpen = !text.endsWith("\n");
        },
        onProgress(said) {
          live.leaveProgressToCode();
          progress.report(said);
        },
      });
      const result = await Promise.race([place.left, ran])
        .finally(() => place.endWait());
      if (typeof result !== "string") return result;
      // Some waits go on by themselves.
      ran.then((late) => endUnknown(late, session, call)).catch(() => {
        // Its call is answered.
      });
      return refusal("busy", result);
    },
    call.id,
  );
  live.close();
  await logs.close();
  const finished = {
    ...call.files.keep(ran),
    ...{ interpreter, isLineOpen },
    showsPages: call.showsPages,
    wantsWhole: wantsWhole(mcpReq._meta),
    waitedMs: place.waitedMs,
    ...(collector ? { streams: collector.finish() } : {}),
  };
  const { files: listed, pages, truncated } = finished.result;
  if (listed || pages || truncated?.uri || session === "new") {
    call.tellResourcesChanged();
  }
  await progress.close();
  return finished;
}

/** Ends a session that was opened for a call whose client does not hear of it. */
async function endUnknown(
  { session: opened }: RunResult,
  asked: string | undefined,
  { sessions, owner }: CallContext,
): Promise<void> {
  if (opened === undefined || opened === asked) return;
  await sessions.end(opened, owner).catch(() => {
    // It has ended by itself.
  });
}
