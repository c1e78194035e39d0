// A program's side of `pipe_messages.ts`. It runs in Node, too.
import { Buffer } from "node:buffer";
import { deferred } from "../deferred.ts";
import { CLIENT_LINE } from "./bounds.ts";
import type {
  CallEnd,
  FromProgram,
  ProgramResult,
  ToProgram,
} from "./pipe_messages.ts";
import { FileReceiver, type RunFile, toPieces } from "./run_files.ts";
import type { Progress, Stream } from "./run_messages.ts";

/** Options of a call. */
export interface ProgramCallOptions {
  /** Files to put into `/workspace`. */
  files?: readonly RunFile[] | undefined;
  /** Ends the run; its result is then `cancelled`. */
  signal?: AbortSignal | undefined;
  /** Raises KeyboardInterrupt in the code, which may go on. */
  interrupt?: AbortSignal | undefined;
  /** Takes each piece of output as it comes; the end waits for its promises. */
  onOutput?:
    | ((stream: Stream, text: string) => void | Promise<void>)
    | undefined;
  /** Takes the progress that the code tells. */
  onProgress?: ((progress: Progress) => void | Promise<void>) | undefined;
}

/** A call that has an end, without its number. */
export type ProgramCall = OmitId<
  Extract<FromProgram, { type: "run" | "look" | "fork" | "close" }>
>;

type OmitId<T> = T extends unknown ? Omit<T, "id"> : never;

interface OpenCall {
  options: ProgramCallOptions;
  written: FileReceiver;
  /** Callbacks that have not settled yet; they do not reject. */
  told: Set<Promise<void>>;
  end: PromiseWithResolvers<Exclude<CallEnd, { type: "failed" }>>;
}

/** The calls of a program: any number at a time. */
export class ProgramClient {
  /** Resolves once the packages are there. */
  readonly ready: Promise<unknown>;
  #ready = deferred<unknown>();
  #calls = new Map<number, OpenCall>();
  #count = 0;
  #end: Error | undefined;

  /**
   * @param write Sends a line, without its end.
   * @param options.answer Gives the answer to a call of a shell's code.
   * @param options.toError Makes the error of a call that has failed.
   */
  constructor(
    private write: (line: string) => unknown,
    private options: {
      answer?: (name: string, args: string) => Promise<string>;
      toError?: (message: string) => Error;
    } = {},
  ) {
    this.ready = this.#ready.promise;
    // It may end before the promise is awaited.
    this.ready.catch(() => {});
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Gives a number to a session, which its first run opens. */
  number(): number {
    return ++this.#count;
  }

  /** Ends all calls that are open, and those that come. */
  end(error: Error): void {
    this.#end = error;
    this.#ready.reject(error);
    for (const { end } of this.#calls.values()) end.reject(error);
  }

  /**
   * Makes a call, and waits for its end.
   *
   * @throws {RangeError} If a part of it is larger than it may be.
   * @throws {Error} If it fails, or the server ends before; what a callback throws.
   */
  async call(
    call: ProgramCall,
    options: ProgramCallOptions = {},
  ): Promise<Exclude<CallEnd, { type: "failed" }>> {
    if (this.#end) throw this.#end;
    const { files = [], signal, interrupt } = options;
    const id = this.number();
    const line = JSON.stringify({ ...call, id });
    const length = Buffer.byteLength(line);
    if (length > CLIENT_LINE) {
      throw new RangeError(
        `Cannot run the code: it is ${length} bytes of JSON with its globals, and may be ${CLIENT_LINE}. Put data in files.`,
      );
    }
    const end: OpenCall["end"] = deferred();
    // It may fail while its files are sent.
    end.promise.catch(() => {});
    const written = new FileReceiver();
    this.#calls.set(id, { options, end, written, told: new Set() });
    const cancel = () => this.#tell({ type: "cancel", id });
    const onInterrupt = () => this.#tell({ type: "interrupt", id });
    try {
      for (const file of files) {
        for (const { bytes, ...piece } of toPieces(file)) {
          const text = Buffer.from(bytes).toString("base64");
          this.write(JSON.stringify({ ...piece, id, bytes: text }));
        }
      }
      this.write(line);
      signal?.addEventListener("abort", cancel);
      interrupt?.addEventListener("abort", onInterrupt);
      if (signal?.aborted) cancel();
      if (interrupt?.aborted) onInterrupt();
      return await end.promise;
    } finally {
      signal?.removeEventListener("abort", cancel);
      interrupt?.removeEventListener("abort", onInterrupt);
      this.#calls.delete(id);
    }
  }

  /** As `call()`, of a call that ends by a result. */
  async run(
    call: ProgramCall & { type: "run" | "look" },
    options?: ProgramCallOptions,
  ): Promise<ProgramResult> {
    const end = await this.call(call, options);
    if (end.type === "result") return end;
    throw new TypeError(`The server ended a run by "${end.type}"`);
  }

  /**
   * Takes a line of the server.
   *
   * @returns A promise if a callback has taken it: Python waits for that if the next
   * line is taken after it.
   */
  take(line: string): void | Promise<void> {
    const message: ToProgram = JSON.parse(line);
    if (message.type === "ready") return this.#ready.resolve(message);
    const { id } = message;
    const call = this.#calls.get(id);
    if (!call) return;
    const { options: { onOutput, onProgress }, written, told, end } = call;
    switch (message.type) {
      case "output": {
        const { stream, text } = message;
        return this.#tellCaller(id, call, () => onOutput?.(stream, text));
      }
      case "progress":
        return this.#tellCaller(id, call, () => onProgress?.(message.progress));
      case "file": {
        const bytes = new Uint8Array(Buffer.from(`${message.bytes}`, "base64"));
        return written.take({ ...message, bytes });
      }
      case "ask":
        // Python waits, and all else goes on.
        return void this.#answer(message);
      case "result":
        if (written.files.length > 0) message.result.written = written.files;
        // A callback may wait for the end of a run that it cancels.
        if (message.result.status === "cancelled") return end.resolve(message);
        // Another one may fail yet: its error comes first.
        return void Promise.all(told).then(() => end.resolve(message));
      case "done":
        return end.resolve(message);
      case "failed":
        return end.reject(this.#toError(message));
    }
  }

  /** Calls back; the caller of this run is told of its error, and no other. */
  #tellCaller(
    id: number,
    { told, end }: OpenCall,
    callback: () => void | Promise<void> | undefined,
  ): void | Promise<void> {
    const fail = (error: unknown) => {
      this.#tell({ type: "cancel", id });
      end.reject(error);
    };
    try {
      const taken = callback();
      if (!taken) return;
      const settled: Promise<void> = Promise.resolve(taken).catch(fail)
        .finally(() => told.delete(settled));
      told.add(settled);
      return settled;
    } catch (error) {
      fail(error);
    }
  }

  async #answer(
    { id, ask, name, arguments: args }: ToProgram & { type: "ask" },
  ): Promise<void> {
    const { answer = () => Promise.reject(new TypeError("no shell")) } =
      this.options;
    this.#tell({ type: "answer", id, ask, answer: await answer(name, args) });
  }

  #toError({ kind, message }: CallEnd & { type: "failed" }): Error {
    if (kind === "RangeError") return new RangeError(message);
    return this.options.toError?.(message) ?? new Error(message);
  }

  #tell(message: FromProgram): void {
    if (!this.#end) this.write(JSON.stringify(message));
  }
}
