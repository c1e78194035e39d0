import { reasonOf } from "../errors.ts";
import { toAnswer, toRefusal } from "../protocol/run_messages.ts";
import { SERVER_LINE } from "../protocol/bounds.ts";
import { fields } from "../protocol/fields.ts";
import { readLines } from "../protocol/lines.ts";
import type {
  Completeness,
  Completions,
  ShellLook,
} from "../protocol/pipe_messages.ts";
import {
  type ProgramCallOptions,
  ProgramClient,
} from "../protocol/program_client.ts";
import type { Json, RunResult } from "../protocol/run_result.ts";
import { CANCELLED } from "../results/to_result.ts";
import type { Prepared } from "./prepare.ts";
import { serve, type ServeOptions } from "./serve.ts";
import { howEnded } from "./spawn.ts";

/** Options of a run; Python waits for the promise of its `onOutput`. */
export interface PythonRun extends ProgramCallOptions {
  /** Names bound before the code runs. */
  globals?: Record<string, Json>;
  /** Seconds after which the code is stopped; if undefined, the settings'. */
  timeoutSeconds?: number;
  /**
   * Packages that the code needs beside those of the settings, within
   * `allowInstall`. A session has those of its first run.
   */
  dependencies?: string[];
  /** Takes the result as a text for a model. */
  onText?: (text: string) => void;
}

/** Python in sandboxes; disposing of it ends all that belongs to it. */
export interface Python extends AsyncDisposable {
  /**
   * Runs code in a fresh interpreter, beside other runs.
   *
   * @returns The result; failing Python is a result, too. Files that the code
   * wrote to `/workspace` are in `written`.
   * @throws {RangeError} If code, globals, files or timeout are larger than they
   * may be.
   * @throws {Error} If the server process ends before the code does.
   */
  run(code: string, options?: PythonRun): Promise<RunResult>;
  /** Opens a session, beside other sessions and runs. */
  session(): PythonSession;
}

/** The calls of this process to a server of its own. */
class OwnServer {
  #client: ProgramClient | undefined;
  #stop = new AbortController();
  #servers = new Set<Promise<unknown>>();

  constructor(
    private prepared: Prepared,
    private options: PythonOptions,
  ) {}

  /** The way to a server that runs. */
  get client(): ProgramClient {
    return this.#client ??= this.#open();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#servers);
    this.prepared[Symbol.dispose]();
  }

  #open(): ProgramClient {
    const { shell, ...options } = this.options;
    const toServer = new TransformStream<Uint8Array<ArrayBuffer>>();
    const toClient = new TransformStream<Uint8Array<ArrayBuffer>>();
    const writer = toServer.writable.getWriter();
    const client = new ProgramClient(
      (line) =>
        void writer.write(new TextEncoder().encode(`${line}\n`)).catch(
          () => {},
        ),
      shell && { answer: (name, args) => answerAsk(shell, name, args) },
    );
    const end = (error: Error) => {
      client.end(error);
      // The next run starts another one.
      if (this.#client === client) this.#client = undefined;
    };
    const served = serve(this.prepared, {
      ...options,
      ...(shell ? { shell: shell.setup } : {}),
      isForPrograms: true,
      client: { input: toServer.readable, output: toClient.writable },
      stop: this.#stop.signal,
    }).then(
      (status) =>
        end(new Error(`The server process ended (${howEnded(status)}).`)),
      end,
    ).finally(() => this.#servers.delete(served));
    this.#servers.add(served);
    read().catch(end);
    return client;

    async function read(): Promise<void> {
      for await (const line of readLines(toClient.readable, SERVER_LINE)) {
        await client.take(new TextDecoder().decode(line));
      }
    }
  }
}

type PythonOptions =
  & Pick<ServeOptions, "keptPermissions" | "spawnSandbox">
  & { shell?: ShellSide };

/** This process's side of a run for a shell. */
export interface ShellSide {
  setup: NonNullable<ServeOptions["shell"]>;
  /**
   * Answers a call of the code; its arguments are data of a hostile guest.
   *
   * @throws {TypeError | RangeError} Python's `TypeError` or `ValueError`.
   */
  answer(name: string, args: unknown): Promise<Json>;
}

/** Opens Python in an environment, which is given back at the end. */
export function openPrepared(
  prepared: Prepared,
  options: PythonOptions = {},
): Python {
  const server = new OwnServer(prepared, options);
  return {
    run: (code, options) => run(server.client, code, options),
    session: () => new PythonSession(server),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

async function run(
  client: ProgramClient,
  code: string,
  options: PythonRun = {},
  session?: number,
): Promise<RunResult & { isLost?: boolean }> {
  const { globals, timeoutSeconds, dependencies, onText, ...more } = options;
  const { result, isLost, text = "" } = await client.run({
    ...{ type: "run", code },
    ...(session === undefined ? {} : { session }),
    ...(globals ? { globals } : {}),
    ...(timeoutSeconds === undefined ? {} : { timeout: timeoutSeconds }),
    ...(dependencies ? { dependencies } : {}),
    ...(onText ? { asText: true } : {}),
  }, more);
  onText?.(text);
  return isLost ? { ...result, isLost } : result;
}

/**
 * An interpreter that keeps its state from run to run; disposing of it ends the
 * interpreter.
 *
 * A run that fails, times out or is cancelled leaves the state as it is, unless
 * its interpreter had to be killed.
 */
export class PythonSession implements AsyncDisposable {
  #client: ProgramClient | undefined;
  #number = 0;
  #isLost = false;
  #closing = new AbortController();

  constructor(private server: Pick<OwnServer, "client">) {}

  /**
   * Whether the interpreter has ended, with all state. Each run is then
   * `session-lost`: open another session.
   */
  get isLost(): boolean {
    return this.#isLost || this.#client?.hasEnded === true;
  }

  /**
   * Runs code after the runs asked for before; the first run starts the
   * interpreter. Its arguments, result and errors are those of `Python.run()`.
   * Runs of a session that is closed are `cancelled`.
   */
  async run(code: string, options: PythonRun = {}): Promise<RunResult> {
    const closing = this.#closing.signal;
    if (closing.aborted) return { ...CANCELLED, output: [] };
    const signal = AbortSignal.any([closing, options.signal ?? closing]);
    const client = this.#open();
    const all = { ...options, signal };
    const answer = await run(client, code, all, this.#number);
    const { isLost = false, ...result } = answer;
    this.#isLost = isLost;
    return result;
  }

  /** Completes the Python at the end of a text; undefined if the state is lost. */
  async complete(text: string): Promise<Completions | undefined> {
    const { word, matches } = fields(await this.#look("complete", text));
    return typeof word === "string" && Array.isArray(matches)
      ? { word, matches: matches.map(String) }
      : undefined;
  }

  /** Whether a prompt should run a text; undefined if the state is lost. */
  async isComplete(text: string): Promise<Completeness | undefined> {
    const answer = await this.#look("is_complete", text);
    return COMPLETENESS.find((one) => one === answer);
  }

  /**
   * Opens a copy of the session, as it is after the runs asked for before; both
   * go on. They draw different random numbers from then on, but for generators
   * that the code has made itself.
   *
   * @throws {Error} If it cannot be copied; the message has the reasons.
   */
  async fork(): Promise<PythonSession> {
    const client = this.#open();
    const copy = new PythonSession(this.server);
    copy.#client = client;
    copy.#number = client.number();
    const [session, number] = [this.#number, copy.#number];
    await client.call({ type: "fork", session, copy: number });
    return copy;
  }

  /** Cancels its runs, and ends its interpreter with all that is in it. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (!this.#client || this.#client.hasEnded) return;
    const close = { type: "close", session: this.#number } as const;
    // The server may have ended, and the session with it.
    await this.#client.call(close).catch(() => {});
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #open(): ProgramClient {
    const client = this.#client ??= this.server.client;
    this.#number ||= client.number();
    return client;
  }

  async #look(look: ShellLook, text: string): Promise<Json | undefined> {
    const client = this.#open();
    const session = this.#number;
    const { result } = await client.run({ type: "look", session, look, text });
    return result.status === "success" ? result.returnValue : undefined;
  }
}

const COMPLETENESS = ["complete", "incomplete", "invalid"] as const;

/** Python's answer to a call, or its exception. */
async function answerAsk(
  { answer }: ShellSide,
  name: string,
  args: string,
): Promise<string> {
  try {
    return toAnswer(0, await answer(name, JSON.parse(args))).answer;
  } catch (error) {
    // Deno's messages name paths of this machine.
    const [kind, message] = error instanceof RangeError
      ? ["ValueError", error.message] as const
      : error instanceof TypeError
      ? ["TypeError", error.message] as const
      : ["RuntimeError", reasonOf(error)] as const;
    return toRefusal(0, kind, message).answer;
  }
}
