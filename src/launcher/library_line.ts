import {
  type ForkOrder,
  type LibraryEnd,
  type LibraryRequest,
  parseLibraryReply,
  type RunOrder,
} from "../protocol/library_calls.ts";
import type { Progress } from "../protocol/progress.ts";
import {
  type FileBounds,
  FileReceiver,
  FileTally,
  type RunFile,
  toPieces,
} from "../protocol/run_files.ts";
import { toAnswer, toRefusal } from "../protocol/answers.ts";
import type { Answer, Ask, Stream } from "../protocol/run_messages.ts";
import type { LibrarySide } from "./broker.ts";
import type { ShellSide } from "./serve.ts";
import { reasonOf } from "../errors.ts";

/** Options of a call. */
export interface LibraryCallOptions {
  /** Files to put into `/workspace`. */
  files?: readonly RunFile[];
  /** Ends the run; its result is then `cancelled`. */
  signal?: AbortSignal;
  /** Raises KeyboardInterrupt in the code, which may go on. */
  interrupt?: AbortSignal;
  /** Takes each piece of output as it comes; Python waits for its promise. */
  onOutput?(stream: Stream, text: string): void | Promise<void>;
  /** Takes the progress that the code tells. */
  onProgress?(progress: Progress): void | Promise<void>;
}

interface OpenCall {
  options: LibraryCallOptions;
  written: FileReceiver;
  end: PromiseWithResolvers<LibraryEnd>;
}

/** This process's own line to a server: any number of calls at a time. */
export class LibraryLine implements LibrarySide {
  #send = Promise.withResolvers<Parameters<LibrarySide["open"]>[0]>();
  #calls = new Map<number, OpenCall>();
  #count = 0;
  #end: Error | undefined;

  /**
   * @param bounds Bounds of the files of a run, in and out.
   * @param answer Answers the calls of code of a shell.
   */
  constructor(
    private bounds: FileBounds,
    private answer?: ShellSide["answer"],
  ) {}

  open(send: Parameters<LibrarySide["open"]>[0]): void {
    this.#send.resolve(send);
  }

  /** Ends all calls that are open, and those that come. */
  end(error: Error): void {
    this.#end = error;
    for (const call of this.#calls.values()) call.end.reject(error);
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Gives a number to a session, which its first run opens. */
  newSession(): number {
    return ++this.#count;
  }

  async closeSession(session: number): Promise<void> {
    if (this.#end) return;
    const send = await this.#send.promise;
    await send(session, { type: "close", session });
  }

  /**
   * Sends an order to the server, which the server obeys beside other orders.
   *
   * @throws {RangeError} If there are more or larger files than there may be.
   * @throws {Error} If the server ends before the code does.
   */
  async call(
    order: RunOrder | ForkOrder,
    options: LibraryCallOptions,
  ): Promise<LibraryEnd> {
    const { files = [], signal, interrupt } = options;
    const tally = new FileTally(this.bounds);
    const id = ++this.#count;
    const end = Promise.withResolvers<LibraryEnd>();
    this.#calls.set(id, { options, end, written: new FileReceiver() });
    const cancel = () => this.#tell(id, { type: "cancel" });
    const onInterrupt = () => this.#tell(id, { type: "interrupt" });
    try {
      if (this.#end) throw this.#end;
      const send = await Promise.race([this.#send.promise, end.promise]);
      if (typeof send !== "function") return send;
      for (const file of files) {
        for (const piece of toPieces(file)) {
          if (!tally.take(piece)) throw tooMuch(file.path, this.bounds);
        }
      }
      // All were judged: the server keeps files until their run comes.
      for (const file of files) {
        for (const piece of toPieces(file)) await send(id, piece);
      }
      send(id, order);
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

  async take(id: number, data: unknown): Promise<void> {
    const call = this.#calls.get(id);
    if (!call) return;
    const message = parseLibraryReply(data);
    const { options, written, end } = call;
    try {
      switch (message.type) {
        case "output":
          return await options.onOutput?.(message.stream, message.text);
        case "progress":
          return await options.onProgress?.(message.progress);
        case "file":
          return written.take(message);
        case "ask":
          // Python waits, and all else goes on.
          return void this.#answer(id, message);
        case "result":
          if (written.files.length > 0) message.result.written = written.files;
          return end.resolve(message);
      }
    } catch (error) {
      // A callback has thrown: the caller of this run is told, and no other one.
      this.#tell(id, { type: "cancel" });
      end.reject(error);
    }
  }

  async #answer(id: number, ask: Ask): Promise<void> {
    this.#tell(id, await answerAsk(ask, this.answer));
  }

  #tell(id: number, message: LibraryRequest): void {
    this.#send.promise.then((send) => send(id, message));
  }
}

async function answerAsk(
  { id, name, arguments: args }: Ask,
  answer: ShellSide["answer"] = () => Promise.reject(new TypeError("no shell")),
): Promise<Answer> {
  try {
    return toAnswer(id, await answer(name, JSON.parse(args)));
  } catch (error) {
    if (error instanceof RangeError) {
      return toRefusal(id, "ValueError", error.message);
    }
    if (error instanceof TypeError) {
      return toRefusal(id, "TypeError", error.message);
    }
    // Deno's messages name paths of this machine.
    return toRefusal(id, "RuntimeError", reasonOf(error));
  }
}

function tooMuch(path: string, { bytes, count }: FileBounds): RangeError {
  return new RangeError(
    `Cannot put "${path}" into /workspace: a path must be relative and there once, and all files of a run may have ${bytes} bytes (maxFilesMiB) and be ${count} with their folders (maxFiles)`,
  );
}
