import { fields } from "../protocol/fields.ts";
import type {
  Completeness,
  Completions,
  ForkOrder,
  RunOrder,
} from "../protocol/library_calls.ts";
import type { Json, RunResult } from "../protocol/run_result.ts";
import { CANCELLED, toResult } from "../results/to_result.ts";
import type { LibraryCallOptions, LibraryLine } from "./library_line.ts";

/** Options of a run. */
export interface PythonRun extends LibraryCallOptions {
  /** Names bound before the code runs. */
  globals?: Record<string, Json>;
  /** Seconds after which the code is stopped; if undefined, the settings'. */
  timeoutSeconds?: number;
  /**
   * Packages that the code needs beside those of the settings, within
   * `allowInstall`. A session has those of its first run.
   */
  dependencies?: string[];
}

/**
 * An interpreter that keeps its state from run to run; disposing of it ends the
 * interpreter.
 *
 * A run that fails, times out or is cancelled leaves the state as it is, unless
 * its interpreter had to be killed.
 */
export interface PythonSession extends AsyncDisposable {
  /**
   * Whether the interpreter has ended, with all state. Each run is then
   * `session-lost`: open another session.
   */
  readonly isLost: boolean;
  /**
   * Runs code after the runs asked for before; the first run starts the
   * interpreter. Its arguments, result and errors are those of `Python.run()`.
   * Runs of a session that is closed are `cancelled`.
   */
  run(code: string, options?: PythonRun): Promise<RunResult>;
  /** Completes the Python at the end of a text; undefined if the state is lost. */
  complete(text: string): Promise<Completions | undefined>;
  /** Whether a prompt should run a text; undefined if the state is lost. */
  isComplete(text: string): Promise<Completeness | undefined>;
  /**
   * Opens a copy of the session, as it is after the runs asked for before; both
   * go on. They draw different random numbers from then on, but for generators
   * that the code has made itself.
   *
   * @throws {Error} If it cannot be copied; the message has the reasons.
   */
  fork(): Promise<PythonSession>;
  /** Cancels its runs, and ends its interpreter with all that is in it. */
  close(): Promise<void>;
}

/** What a run asks of the server. */
export type AskedRun = Pick<RunOrder, "request" | "dependencies">;

/** A session of this process, on the line of its first run. */
export class LibrarySession implements PythonSession {
  #place: Place | undefined;
  #isLost = false;
  #last: Promise<unknown> = Promise.resolve();
  #closing = new AbortController();

  /**
   * @param open Gives the line to a server that runs.
   * @param toRequest Throws a `RangeError` if a part of it is too large.
   */
  constructor(
    private open: () => LibraryLine,
    private toOrder: (code: string, options: PythonRun) => AskedRun,
  ) {}

  get isLost(): boolean {
    return this.#isLost || this.#place?.line.hasEnded === true;
  }

  async run(code: string, options: PythonRun = {}): Promise<RunResult> {
    return await this.#addRun(this.toOrder(code, options), options);
  }

  async complete(text: string): Promise<Completions | undefined> {
    const { word, matches } = fields(await this.#look("complete", text));
    return typeof word === "string" && Array.isArray(matches)
      ? { word, matches: matches.map(String) }
      : undefined;
  }

  async isComplete(text: string): Promise<Completeness | undefined> {
    const answer = await this.#look("is_complete", text);
    return COMPLETENESS.find((one) => one === answer);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#last;
    await this.#place?.line.closeSession(this.#place.number);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async fork(): Promise<PythonSession> {
    const copy = new LibrarySession(this.open, this.toOrder);
    const result = await this.#add(({ line, number }) => {
      copy.#place = toPlace(line);
      return { type: "fork", session: number, copy: copy.#place.number };
    }, {});
    if (result.status === "success") return copy;
    throw new Error(`Cannot copy the session: ${result.error}`);
  }

  async #look(
    look: NonNullable<RunOrder["look"]>,
    text: string,
  ): Promise<Json | undefined> {
    const order = { ...this.toOrder(text, {}), look };
    const result = await this.#addRun(order, {});
    return result.status === "success" ? result.returnValue : undefined;
  }

  #addRun(
    order: AskedRun & Pick<RunOrder, "look">,
    options: PythonRun,
  ): Promise<RunResult> {
    return this.#add(
      ({ number }) => ({ type: "run", session: number, ...order }),
      options,
    );
  }

  /** Sends an order once the orders before are obeyed. */
  #add(
    toOrder: (place: Place) => RunOrder | ForkOrder,
    options: PythonRun,
  ): Promise<RunResult> {
    const result = this.#last.then(() => this.#send(toOrder, options));
    this.#last = result.catch(() => {});
    return result;
  }

  async #send(
    toOrder: (place: Place) => RunOrder | ForkOrder,
    options: PythonRun,
  ): Promise<RunResult> {
    const closing = this.#closing.signal;
    if (closing.aborted) return toResult({ ending: CANCELLED }, "", null);
    const place = this.#place ??= toPlace(this.open());
    const signal = AbortSignal.any([closing, options.signal ?? closing]);
    const all = { ...options, signal };
    const { result, isLost } = await place.line.call(toOrder(place), all);
    this.#isLost = isLost;
    return result;
  }
}

interface Place {
  line: LibraryLine;
  number: number;
}

function toPlace(line: LibraryLine): Place {
  return { line, number: line.newSession() };
}

const COMPLETENESS: readonly Completeness[] = [
  "complete",
  "incomplete",
  "invalid",
];
