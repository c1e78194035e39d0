import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import process from "node:process";
import type { Readable } from "node:stream";
import { findDeno } from "./deno_path.ts";
import {
  type CommandLine,
  type SandboxOptions,
  toCommandLine,
} from "./options.ts";
import { findCli } from "./find_cli.ts";

/** Time for a launcher to end by itself. */
const END_MS = 10_000;
/** Lines of stderr for the error of a launcher that ends. */
const LAST_LINES = 50;

/** A message of the pipe: `src/protocol/pipe_messages.ts`. */
// deno-lint-ignore no-explicit-any -- the launcher is this package's own
export type Message = Record<string, any>;

/** Takes lines of the log. */
export type OnLog = (line: string) => void;

/** The sandbox itself cannot start or has ended; the message has the remedy. */
export class SandboxError extends Error {
  /** Tells it from other errors. */
  override name = "SandboxError";
}

/** Arguments of Deno that start the command line with these arguments. */
export async function toDenoArguments(
  args: readonly string[],
): Promise<string[]> {
  return ["run", "-A", await findCli(), ...args];
}

/** A process of `mcp-run-python pipe`. */
export class Launcher {
  readonly ready: Promise<void>;
  readonly logs: Set<OnLog> = new Set();
  #child: ChildProcessWithoutNullStreams;
  #calls = new Map<number, (message: Message) => void>();
  #count = 0;
  #error: SandboxError | undefined;
  #ended: Promise<void>;

  constructor({ args, variables }: CommandLine) {
    const child = this.#child = spawn(findDeno(), args, {
      env: { ...process.env, ...variables, NO_COLOR: "1" },
    });
    const ready = Promise.withResolvers<void>();
    this.ready = ready.promise;
    // It may end before the promise is awaited.
    this.ready.catch(() => {});
    onLines(child.stdout, (line) => {
      const message: Message = JSON.parse(line);
      if (message["type"] === "ready") ready.resolve();
      else this.#calls.get(message["id"])?.(message);
    });
    const words = readLog(child, this.logs);
    // Writing to a process that has ended is told by its end.
    child.stdin.on("error", () => {});
    this.#ended = new Promise((resolve) => {
      child.on("error", (error) => end(`Cannot start Deno: ${error.message}`));
      child.on("close", (code) => end(words(code)));
      const end = (reason: string) => {
        this.#error ??= new SandboxError(reason);
        ready.reject(this.#error);
        for (const [id, take] of this.#calls) {
          take({ type: "failed", id, kind: "Error", message: reason });
        }
        resolve();
      };
    });
  }

  get hasEnded(): boolean {
    return this.#error !== undefined;
  }

  /** Gives a number to a session. */
  number(): number {
    return ++this.#count;
  }

  tell(message: Message): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /**
   * Makes a call, and waits for its end.
   *
   * @param onOutput Takes output; if it throws, the call is cancelled.
   * @throws {SandboxError} If the launcher ends before.
   * @throws {RangeError} If a part of the call is larger than it may be.
   */
  async call(
    message: Message,
    { signal, onOutput }: {
      signal?: AbortSignal | undefined;
      onOutput?:
        | ((stream: "stdout" | "stderr", text: string) => void)
        | undefined;
    } = {},
  ): Promise<Message> {
    if (this.#error) throw this.#error;
    const id = this.number();
    const end = Promise.withResolvers<Message>();
    const cancel = () => this.tell({ type: "cancel", id });
    this.#calls.set(id, (heard) => {
      if (heard["type"] === "output") {
        try {
          onOutput?.(heard["stream"], heard["text"]);
        } catch (error) {
          cancel();
          end.reject(error);
        }
      } else if (heard["type"] !== "progress") end.resolve(heard);
    });
    try {
      this.tell({ ...message, id });
      signal?.addEventListener("abort", cancel);
      if (signal?.aborted) cancel();
      const heard = await end.promise;
      if (heard["type"] !== "failed") return heard;
      throw heard["kind"] === "RangeError"
        ? new RangeError(heard["message"])
        : new SandboxError(heard["message"]);
    } finally {
      signal?.removeEventListener("abort", cancel);
      this.#calls.delete(id);
    }
  }

  /** Ends the process and all that it has started, and waits for it. */
  async close(): Promise<void> {
    this.#child.stdin.end();
    const late = setTimeout(() => this.#child.kill("SIGKILL"), END_MS);
    await this.#ended;
    clearTimeout(late);
  }
}

/** Hands on each line of stderr; gives what makes a message of the exit code. */
function readLog(
  { stderr }: Pick<ChildProcessWithoutNullStreams, "stderr">,
  logs: ReadonlySet<OnLog>,
): (code: number | null) => string {
  const lines: string[] = [];
  onLines(stderr, (line) => {
    lines.push(line);
    if (lines.length > LAST_LINES) lines.shift();
    for (const log of logs) log(line);
  });
  return (code) => {
    const at = lines.findLastIndex((line) => line.startsWith("error: "));
    if (at >= 0) return lines.slice(at).join("\n").replace("error: ", "");
    return [`mcp-run-python ended with code ${code}.`, ...lines].join("\n");
  };
}

/** Node's own reader of lines also ends a line at other characters. */
function onLines(stream: Readable, take: (line: string) => void): void {
  let parts: string[] = [];
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const [first = "", ...lines] = chunk.split("\n");
    parts.push(first);
    for (const line of lines) {
      take(parts.join(""));
      parts = [line];
    }
  });
}

const shared = new Map<string, { launcher: Launcher; users: number }>();

/** A share of a launcher; those with equal options have one. */
export async function lease(
  options: SandboxOptions,
  onLog: OnLog | undefined,
): Promise<{ launcher: Launcher; close(): Promise<void> }> {
  const { args: given, variables } = toCommandLine(options, process.env);
  const args = await toDenoArguments([...given, "pipe"]);
  const command = { args, variables };
  const key = JSON.stringify(command);
  let share = shared.get(key);
  if (!share || share.launcher.hasEnded) {
    share = { launcher: new Launcher(command), users: 0 };
    shared.set(key, share);
  }
  const { launcher } = share;
  const mine = share;
  mine.users++;
  if (onLog) launcher.logs.add(onLog);
  let closing: Promise<void> | undefined;
  return { launcher, close: () => closing ??= close() };

  async function close(): Promise<void> {
    if (--mine.users > 0) {
      if (onLog) launcher.logs.delete(onLog);
      return;
    }
    if (shared.get(key) === mine) shared.delete(key);
    await launcher.close();
  }
}
