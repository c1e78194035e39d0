import { FileReceiver, toPieces } from "../../protocol/run_files.ts";
import { HostCallError } from "../host_calls/host_call.ts";
import type { ForkOrder, RunOrder } from "../../protocol/library_calls.ts";
import type { Answer } from "../../protocol/run_messages.ts";
import type { Json, RunResult, Timings } from "../../protocol/run_result.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import { fitResult } from "../../results/fit_result.ts";
import type { BrokerLine } from "../broker_line.ts";
import {
  type OrRefused,
  type Pool,
  refusal,
  type RunFigures,
  type RunOptions,
} from "../pool/pool.ts";
import { type Opening, SessionLife } from "../sessions/session_life.ts";
import type { Pools } from "../pool/script_pools.ts";
import { forAudit, forLog, runLines } from "../run_lines.ts";
import { RunLog } from "../run_log.ts";
import { Looks } from "../sessions/looks.ts";

interface LibraryCall {
  files: FileReceiver;
  cancel: AbortController;
  interrupt: AbortController;
  /** Calls of the code that wait for the shell. */
  asked: Map<number, PromiseWithResolvers<Json>>;
}

/** Serves the calls of the launcher's own process, until it wants no more. */
export async function serveLibrary(
  broker: BrokerLine,
  pools: Pools,
  settings: ServerSettings,
): Promise<void> {
  const { shell, maxOutput = Infinity } = settings;
  const client = { name: shell ? "shell" : "library" };
  const runs = new RunLog([
    ...runLines(broker.log, forLog(settings)),
    ...runLines(broker.audit, forAudit(settings)),
  ]);
  const calls = new Map<number, LibraryCall>();
  const sessions = new Map<number, SessionLife>();
  /** Numbers of sessions that have an interpreter, or get one. */
  const living = new Set<number>();
  let asks = 0;
  return await Promise.race([broker.eof, takeCalls()]);

  async function takeCalls(): Promise<never> {
    while (true) {
      const { id, message } = await broker.calls.next();
      if (message.type === "cancel") {
        // Its result may have gone out meanwhile.
        calls.get(id)?.cancel.abort();
        continue;
      }
      if (message.type === "interrupt") {
        calls.get(id)?.interrupt.abort();
        continue;
      }
      if (message.type === "answer") {
        calls.get(id)?.asked.get(message.id)?.resolve(readAnswer(message));
        continue;
      }
      if (message.type === "close") {
        sessions.get(message.session)?.close()
          .catch((error) => broker.fail(error));
        sessions.delete(message.session);
        living.delete(message.session);
        continue;
      }
      const call = calls.get(id) ?? {
        files: new FileReceiver(),
        cancel: new AbortController(),
        interrupt: new AbortController(),
        asked: new Map(),
      };
      calls.set(id, call);
      if (message.type === "file") call.files.take(message);
      else {
        serve(id, message, call).finally(() => calls.delete(id))
          .catch((error) => broker.fail(error));
      }
    }
  }

  async function serve(
    id: number,
    order: RunOrder | ForkOrder,
    call: LibraryCall,
  ) {
    const { written = [], ...whole } = await obey(id, order, call);
    for (const file of written) {
      for (const piece of toPieces(file)) await broker.reply(id, piece);
    }
    const result = fitResult(whole, maxOutput);
    const isLost = maybeSession(order)?.lost !== undefined;
    if (isLost && order.session !== undefined) living.delete(order.session);
    await broker.reply(id, { type: "result", result, isLost });
  }

  async function obey(
    id: number,
    order: RunOrder | ForkOrder,
    call: LibraryCall,
  ): Promise<RunResult> {
    if (order.type === "fork") return await fork(order);
    if (order.look) return await look(order, call.cancel.signal);
    const since = performance.now();
    let figures: RunFigures | undefined;
    const result = await runs.follow(order.request, client, (onEnd) => {
      const note = (taken: RunFigures) => onEnd(figures = taken);
      return run(id, order, { ...call, onEnd: note });
    });
    return { ...result, timings: toTimings(since, figures) };
  }

  async function run(
    id: number,
    order: RunOrder,
    { files, cancel, interrupt, asked, onEnd }:
      & LibraryCall
      & Pick<RunOptions, "onEnd">,
  ): Promise<RunResult> {
    const { place, refused } = await findPlace(order, cancel.signal);
    if (refused) return refused;
    return await place.run(order.request, {
      ...{ signal: cancel.signal, interrupt: interrupt.signal, onEnd },
      files: files.files,
      async askShell(name, args) {
        const answer = Promise.withResolvers<Json>();
        const number = ++asks;
        asked.set(number, answer);
        const text = JSON.stringify(args);
        await broker.reply(id, {
          type: "ask",
          id: number,
          name,
          arguments: text,
        });
        return await answer.promise.finally(() => asked.delete(number));
      },
      onOutput: (stream, text) =>
        void broker.reply(id, { type: "output", stream, text }),
      onProgress: (progress) =>
        void broker.reply(id, { type: "progress", progress }),
    });
  }

  async function look(
    order: RunOrder,
    signal: AbortSignal,
  ): Promise<RunResult> {
    const { place, refused } = await findPlace(order, signal);
    if (refused) return refused;
    const looks = new Looks((...request) => place.run(...request));
    const { code } = order.request;
    const { found, failed } = order.look === "complete"
      ? await looks.complete(code, signal)
      : await looks.isComplete(code, signal);
    return failed ?? { status: "success", returnValue: found, output: [] };
  }

  async function fork({ session, copy }: ForkOrder): Promise<RunResult> {
    const original = sessions.get(session);
    // The first run of a session opens it, and that of a copy as well.
    const opened = original && await open(copy, () => original.copy());
    return opened?.refused ??
      { status: "success", returnValue: null, output: [] };
  }

  function maybeSession(
    { session }: Pick<RunOrder, "session">,
  ): SessionLife | undefined {
    return session === undefined ? undefined : sessions.get(session);
  }

  /** Finds a pool for the run, or its session, which may open now. */
  async function findPlace(
    order: RunOrder,
    signal: AbortSignal,
  ): Promise<OrRefused<{ place: Pick<Pool, "run"> }>> {
    const known = maybeSession(order);
    if (known) return { place: known };
    const { request, session: number, dependencies } = order;
    // The environment of a shell has all that its script asks for.
    const found = await pools.find(shell ? "" : request.code, {
      ...{ dependencies, signal },
    });
    if (found.refused) return found;
    if (number === undefined) return { place: found.pool };
    return await open(number, async () => {
      const { session, refused } = await found.pool.open({ signal });
      return refused ? { refused } : { ...found, session };
    });
  }

  /** Opens a session, if there may be one more. */
  async function open(
    number: number,
    start: () => Opening,
  ): Promise<OrRefused<{ place: SessionLife }>> {
    if (living.size >= settings.maxSessions) {
      const error =
        `Cannot open a session as ${living.size} are open, which is all there may be (maxSessions). Close a session.`;
      return { refused: refusal("busy", error) };
    }
    living.add(number);
    const place = new SessionLife(pools, start);
    const { refused } = await place.opened;
    if (refused) {
      living.delete(number);
      return { refused };
    }
    sessions.set(number, place);
    return { place };
  }
}

function toTimings(since: number, figures?: RunFigures): Timings {
  const wallMs = figures?.wallMs ?? 0;
  const cpuMs = figures?.used?.cpuMs;
  const waitedMs = performance.now() - since - wallMs;
  return { waitedMs, wallMs, ...(cpuMs === undefined ? {} : { cpuMs }) };
}

/** @throws {HostCallError} If the launcher has refused the call. */
async function readAnswer({ answer }: Answer): Promise<Json> {
  const { value, error, message } = await JSON.parse(answer);
  if (error) throw new HostCallError(error, message);
  return value;
}
