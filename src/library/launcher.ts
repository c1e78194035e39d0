import process from "node:process";
import {
  type CommandLine,
  type SandboxOptions,
  toCommandLine,
} from "./options.ts";
import {
  checkNode,
  type OnLog,
  Program,
  SandboxError,
  toDenoArguments,
} from "./program.ts";
import { ProgramClient } from "../protocol/program_client.ts";

/** Time for a launcher to end by itself. */
const END_MS = 10_000;

/** A process of `mcp-run-python pipe`. */
class Launcher {
  readonly client: ProgramClient;
  readonly logs: Set<OnLog>;
  #program: Program;

  constructor(command: CommandLine) {
    this.client = new ProgramClient((line) => this.#program.write(line), {
      toError: (message) => new SandboxError(message),
    });
    this.#program = new Program(command, (line) => void this.client.take(line));
    this.logs = this.#program.logs;
    this.#program.ended.then((error) => this.client.end(error));
  }

  /** Ends the process and all that it has started, and waits for it. */
  close(): Promise<void> {
    return this.#program.close(END_MS);
  }
}

const shared = new Map<string, { launcher: Launcher; users: number }>();

/** A share of a launcher, with calls and sessions of its own. */
export interface Share extends Pick<ProgramClient, "ready" | "call" | "run"> {
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
  if (!share || share.launcher.client.hasEnded) {
    share = { launcher: new Launcher(command), users: 0 };
    shared.set(key, share);
  }
  const { launcher } = share;
  const { client } = launcher;
  const mine = share;
  mine.users++;
  if (onLog) launcher.logs.add(onLog);
  const sessions = new Set<number>();
  const end = new AbortController();
  let closing: Promise<void> | undefined;
  return {
    ready: client.ready,
    call: async (message, options) =>
      await client.call(message, whileOpen(options)),
    run: async (message, options) =>
      await client.run(message, whileOpen(options)),
    openSession() {
      checkOpen();
      const session = client.number();
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

  function whileOpen<T extends { signal?: AbortSignal | undefined }>(
    options?: T,
  ) {
    checkOpen();
    const signal = AbortSignal.any([end.signal, options?.signal ?? end.signal]);
    return { ...options, signal };
  }

  async function closeSession(session: number): Promise<void> {
    if (!sessions.delete(session) || client.hasEnded) return;
    await client.call({ type: "close", session });
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
