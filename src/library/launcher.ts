import process from "node:process";
import {
  type CommandLine,
  type SandboxOptions,
  toCommandLine,
} from "./options.ts";
import { checkNode, type OnLog, Program, toDenoArguments } from "./program.ts";
import { SandboxError } from "./sandbox_error.ts";

/** Time for a launcher to end by itself. */
const END_MS = 10_000;

/** A message of the pipe: `src/protocol/pipe_messages.ts`. */
// deno-lint-ignore no-explicit-any -- the launcher is this package's own
export type Message = Record<string, any>;

/** A process of `mcp-run-python pipe`. */
export class Launcher {
  readonly ready: Promise<void>;
  readonly logs: Set<OnLog>;
  #program: Program;
  #calls = new Map<number, (message: Message) => void>();
  #count = 0;
  #error: SandboxError | undefined;

  constructor(command: CommandLine) {
    const ready = Promise.withResolvers<void>();
    this.ready = ready.promise;
    // It may end before the promise is awaited.
    this.ready.catch(() => {});
    this.#program = new Program(command, (line) => {
      const message: Message = JSON.parse(line);
      if (message["type"] === "ready") ready.resolve();
      else this.#calls.get(message["id"])?.(message);
    });
    this.logs = this.#program.logs;
    this.#program.ended.then((error) => {
      this.#error = error;
      ready.reject(error);
      const { message } = error;
      for (const [id, take] of this.#calls) {
        take({ type: "failed", id, kind: "Error", message });
      }
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
    this.#program.write(JSON.stringify(message));
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
        | ((stream: "stdout" | "stderr", text: string) => void | Promise<void>)
        | undefined;
    } = {},
  ): Promise<Message> {
    if (this.#error) throw this.#error;
    const id = this.number();
    const end = Promise.withResolvers<Message>();
    const cancel = () => this.tell({ type: "cancel", id });
    let taken = Promise.resolve();
    this.#calls.set(id, (heard) => {
      if (heard["type"] === "output") {
        taken = taken.then(() => onOutput?.(heard["stream"], heard["text"]));
        taken.catch((error) => {
          cancel();
          end.reject(error);
        });
      } else if (heard["type"] !== "progress") end.resolve(heard);
    });
    try {
      this.tell({ ...message, id });
      signal?.addEventListener("abort", cancel);
      if (signal?.aborted) cancel();
      const heard = await end.promise;
      await taken;
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
  close(): Promise<void> {
    return this.#program.close(END_MS);
  }
}

const shared = new Map<string, { launcher: Launcher; users: number }>();

/** A share of a launcher, with calls and sessions of its own. */
export interface Share extends Pick<Launcher, "ready" | "call"> {
  /** Gives a number to a session, which its first run opens. */
  openSession(): number;
  /** Ends a session. */
  closeSession(session: number): Promise<void>;
  /** Waits for the end of what belongs to it: of the launcher, if it is the last. */
  close(): Promise<void>;
}

/** Leases a launcher; equal options give shares of the same one. */
export async function lease(
  options: SandboxOptions,
  onLog: OnLog | undefined,
): Promise<Share> {
  checkNode();
  const { args: given, variables } = toCommandLine(options);
  const args = await toDenoArguments([...given, "pipe"]);
  const command = { args, variables };
  // Elsewhere, a path may be another folder's.
  const key = JSON.stringify([process.cwd(), command]);
  let share = shared.get(key);
  if (!share || share.launcher.hasEnded) {
    share = { launcher: new Launcher(command), users: 0 };
    shared.set(key, share);
  }
  const { launcher } = share;
  const mine = share;
  mine.users++;
  if (onLog) launcher.logs.add(onLog);
  const sessions = new Set<number>();
  const end = new AbortController();
  let closing: Promise<void> | undefined;
  return {
    ready: launcher.ready,
    async call(message, { signal, onOutput } = {}) {
      checkOpen();
      const signals = [end.signal, ...(signal ? [signal] : [])];
      return await launcher.call(message, {
        ...{ signal: AbortSignal.any(signals), onOutput },
      });
    },
    openSession() {
      checkOpen();
      const session = launcher.number();
      sessions.add(session);
      return session;
    },
    closeSession,
    close: () => closing ??= close(),
  };

  function checkOpen(): void {
    if (!closing) return;
    throw new SandboxError("The sandbox is closed: create another one.");
  }

  async function closeSession(session: number): Promise<void> {
    if (!sessions.delete(session) || launcher.hasEnded) return;
    await launcher.call({ type: "close", session });
  }

  async function close(): Promise<void> {
    if (--mine.users > 0) {
      if (onLog) launcher.logs.delete(onLog);
      end.abort();
      // If the launcher ends meanwhile, they end with it.
      await Promise.allSettled([...sessions].map(closeSession));
      return;
    }
    if (shared.get(key) === mine) shared.delete(key);
    await launcher.close();
  }
}
