import {
  CLIENT_LINE,
  ENCODED_GLOBALS,
  fitsEncoded,
  USUAL_OUTPUT,
} from "../../protocol/bounds.ts";
import { messageOf } from "../../errors.ts";
import {
  type FromProgram,
  parseFromProgram,
  type ProgramRun,
  type ToProgram,
} from "../../protocol/pipe_messages.ts";
import {
  type FilePiece,
  FileReceiver,
  FileTally,
  toFileBounds,
  toPieces,
} from "../../protocol/run_files.ts";
import { encodeMessage, type RunRequest } from "../../protocol/run_messages.ts";
import type { Json, RunResult } from "../../protocol/run_result.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import { fitResult } from "../../results/fit_result.ts";
import { toText } from "../../results/render.ts";
import { sumUp } from "../../results/sum_up.ts";
import { toListed } from "../../results/result_files.ts";
import type { BrokerLine } from "../broker_line.ts";
import { HostCallError } from "../host_calls/host_call.ts";
import type { McpPools } from "../mcp_host.ts";
import type { RunFigures } from "../pool/pool.ts";
import { forAudit, forLog, runLines } from "../run_lines.ts";
import { RunLog } from "../run_log.ts";
import { Looks } from "../sessions/looks.ts";
import { Sessions } from "../sessions/sessions.ts";

/** A call under way, or one whose files come. */
class Call {
  files = new FileReceiver();
  /** Why it fails. */
  wrong: Error | undefined;
  cancel = new AbortController();
  interrupt = new AbortController();
  /** Calls of the code that wait for the shell. */
  asked = new Map<number, PromiseWithResolvers<Json>>();

  constructor(readonly tally: FileTally) {}
}

/** Several programs may share the line: their sessions have different numbers. */
const OWNER = { name: "program", connection: undefined, realm: "program" };

/**
 * Serves the lines of programs, until there are no more.
 *
 * @throws {TypeError} If the program speaks another protocol.
 */
export async function servePrograms(
  broker: Pick<
    BrokerLine,
    "nextFromClient" | "sendToClient" | "log" | "audit" | "fail"
  >,
  pools: McpPools,
  settings: ServerSettings,
): Promise<void> {
  const programs = new Programs(
    (message) => broker.sendToClient(encodeMessage(message)),
    new Sessions(pools, { ...settings, isForPrograms: true }, broker.log),
    new RunLog([
      ...runLines(broker.log, forLog(settings)),
      ...runLines(broker.audit, forAudit(settings)),
    ]),
    settings,
  );
  const tellReady = () => programs.tellReady(pools.environment);
  pools.onInstalled = tellReady;
  tellReady();
  const decoder = new TextDecoder();
  for (let line; (line = await broker.nextFromClient()) !== null;) {
    try {
      if ("tooLong" in line) {
        throw new RangeError(
          `Cannot read a line of ${line.tooLong} bytes, as it may have ${CLIENT_LINE}`,
        );
      }
      programs.take(parseFromProgram(decoder.decode(line)));
    } catch (error) {
      return await broker.fail(error);
    }
  }
}

class Programs {
  #calls = new Map<number, Call>();
  #asks = 0;

  constructor(
    private send: (message: ToProgram) => Promise<void>,
    private sessions: Sessions,
    private runs: RunLog,
    private settings: ServerSettings,
  ) {}

  tellReady(environment: ServerSettings["environment"]): void {
    if (!environment) return;
    const { python, packages } = environment;
    const names = packages.map(({ name, version }) => `${name}==${version}`);
    const { version } = this.settings;
    void this.send({ type: "ready", version, python, packages: names });
  }

  take(message: FromProgram): void {
    const { type, id } = message;
    if (type === "cancel" || type === "interrupt") {
      // Its result may have gone out meanwhile.
      return this.#calls.get(id)?.[type].abort();
    }
    if (type === "answer") {
      const asked = this.#calls.get(id)?.asked.get(message.ask);
      return asked?.resolve(readAnswer(message.answer));
    }
    const call = this.#calls.get(id) ??
      new Call(new FileTally(toFileBounds(this.settings)));
    this.#calls.set(id, call);
    if (type === "file") return this.#takePiece(message, call);
    if (type === "wrong-file") {
      return void (call.wrong ??= new TypeError(message.message));
    }
    this.#obey(message, call).catch((error) => {
      const kind = error instanceof Error ? error.name : "Error";
      return this.send({ type: "failed", id, kind, message: messageOf(error) });
    }).finally(() => this.#calls.delete(id));
  }

  #takePiece(piece: FilePiece, call: Call): void {
    if (call.wrong) return;
    if (call.tally.take(piece)) return call.files.take(piece);
    const { maxFilesMiB, maxFiles } = this.settings;
    call.wrong = new RangeError(
      `Cannot put "${piece.path}" into /workspace: a path must be relative and there once, and all files of a run may have ${maxFilesMiB} MiB (maxFilesMiB) and be ${maxFiles} with their folders (maxFiles)`,
    );
  }

  async #obey(
    message: Extract<
      FromProgram,
      { type: "run" | "look" | "fork" | "close" | "wrong" }
    >,
    call: Call,
  ): Promise<void> {
    const { id } = message;
    switch (message.type) {
      case "run":
        return await this.#run(message, call);
      case "look":
        return await this.#look(message, call);
      case "fork":
        // The first run of a session opens it, and that of a copy as well.
        if (this.sessions.isOpen(`${message.session}`, OWNER)) {
          await this.sessions
            .fork(`${message.session}`, OWNER, { name: `${message.copy}` })
            .catch((error) => Promise.reject(new Error(messageOf(error))));
        }
        return await this.send({ type: "done", id });
      case "close":
        await this.sessions.end(`${message.session}`, OWNER).catch(() => {
          // Nothing has run in it.
        });
        return await this.send({ type: "done", id });
      case "wrong":
        throw new TypeError(message.message);
    }
  }

  async #run(message: ProgramRun, call: Call): Promise<void> {
    if (call.wrong) throw call.wrong;
    const { id, session, dependencies, asText } = message;
    const request = this.#toRequest(message);
    const handle = session === undefined ? "none" : `${session}`;
    const { signal } = call.cancel;
    const since = performance.now();
    let figures: RunFigures | undefined;
    const client = { name: this.settings.shell ? "shell" : "library" };
    const ran = await this.runs.follow(
      request,
      client,
      (onEnd) =>
        this.sessions.run(handle, OWNER, request, {
          onEnd: (taken) => onEnd(figures = taken),
          signal,
          interrupt: call.interrupt.signal,
          files: call.files.files,
          waiter: { signal, dependencies },
          askShell: (name, args) => this.#ask(id, call, name, args),
          onOutput: (stream, text) =>
            void this.send({ type: "output", id, stream, text }),
          onProgress: (progress) =>
            void this.send({ type: "progress", id, progress }),
        }),
    );
    const { written = [], summary: _, ...whole } = ran;
    for (const file of written) {
      for (const piece of toPieces(file)) await this.send({ ...piece, id });
    }
    const { maxOutput } = this.settings;
    const { wallMs = 0, used: { cpuMs } = {} } = figures ?? {};
    const waitedMs = performance.now() - since - wallMs;
    const result = fitResult(whole, maxOutput ?? Infinity);
    const timings = {
      waitedMs,
      wallMs,
      ...(cpuMs === undefined ? {} : { cpuMs }),
    };
    const isLost = this.sessions.isLost(handle, OWNER);
    const toToolText = () => {
      const summed = sumUp(ran);
      const fitted = fitResult(summed, maxOutput ?? USUAL_OUTPUT);
      return { text: toText({ ...fitted, files: toListed(written) }, "xml") };
    };
    await this.send({
      type: "result",
      id,
      result: { ...result, timings },
      isLost,
      ...(asText ? toToolText() : {}),
    });
  }

  async #look(
    { id, session, look, text }: FromProgram & { type: "look" },
    { cancel: { signal } }: Call,
  ): Promise<void> {
    const handle = `${session}`;
    const looks = new Looks((request, options) =>
      this.sessions.run(handle, OWNER, request, options)
    );
    const { found, failed } = look === "complete"
      ? await looks.complete(text, signal)
      : await looks.isComplete(text, signal);
    const result: RunResult = failed ??
      { status: "success", returnValue: found, output: [] };
    const isLost = this.sessions.isLost(handle, OWNER);
    await this.send({ type: "result", id, result, isLost });
  }

  #ask(id: number, call: Call, name: string, args: Json): Promise<Json> {
    const answer = Promise.withResolvers<Json>();
    const ask = ++this.#asks;
    call.asked.set(ask, answer);
    const text = JSON.stringify(args);
    void this.send({ type: "ask", id, ask, name, arguments: text });
    return answer.promise.finally(() => call.asked.delete(ask));
  }

  /** @throws {RangeError} If a part of the run is larger than it may be. */
  #toRequest(
    { code, globals: values = {}, timeout, engine }: ProgramRun,
  ): RunRequest {
    const { timeoutSeconds, maxTimeoutSeconds: most } = this.settings;
    const seconds = timeout === undefined ? timeoutSeconds : timeout;
    if (!(typeof seconds === "number" && seconds > 0 && seconds <= most)) {
      throw new RangeError(
        `Cannot run code for ${seconds} seconds: timeoutSeconds must be above 0 and at most ${most} (maxTimeoutSeconds)`,
      );
    }
    const globals = JSON.stringify(values);
    if (!fitsEncoded(globals, ENCODED_GLOBALS)) {
      throw new RangeError(
        `Cannot run the code: its globals of ${globals.length} characters are more than ${ENCODED_GLOBALS} bytes as JSON. Put data in files.`,
      );
    }
    const timeoutMs = Math.max(1, Math.round(seconds * 1000));
    return {
      ...{ code, globals, timeoutMs },
      ...(engine === undefined ? {} : { engine }),
    };
  }
}

/** @throws {HostCallError} If the program has refused the call. */
async function readAnswer(answer: string): Promise<Json> {
  const { value, error, message } = await JSON.parse(answer);
  if (error) throw new HostCallError(error, message);
  return value;
}
