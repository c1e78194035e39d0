import process from "node:process";
import {
  type CommandLine,
  type SandboxOptions,
  toCommandLine,
} from "./options.ts";
import { inOwnWords } from "./own_words.ts";
import {
  type OnLog,
  Program,
  SandboxError,
  toDenoArguments,
} from "./program.ts";
import { ProgramClient } from "../protocol/program_client.ts";

/** Time for a launcher to end by itself. */
const END_MS = 10_000;

const CLOSED_EARLY =
  "The sandbox was closed before the run had ended: await its result before that.";

/** A process of `mcp-run-python pipe`, and those who share it. */
interface Launcher {
  client: ProgramClient;
  program: Program;
  users: number;
  /** Whether its last user has left. */
  isClosed: boolean;
}

/** By their options. */
const shared = new Map<string, Launcher>();

function start(command: CommandLine): Launcher {
  const client: ProgramClient = new ProgramClient(
    (line) => program.write(line),
    { toError: (message) => new SandboxError(inOwnWords(message)) },
  );
  const program = new Program(command, (line) => void client.take(line));
  const launcher = { client, program, users: 0, isClosed: false };
  program.ended.then((error) =>
    client.end(launcher.isClosed ? new SandboxError(CLOSED_EARLY) : error)
  );
  return launcher;
}

/** A share of a launcher, with calls and sessions of its own. */
export type Share = Awaited<ReturnType<typeof lease>>;

/** Leases a launcher; equal options give shares of the same one. */
export async function lease(
  options: SandboxOptions,
  onLog: OnLog | undefined,
) {
  const { args: given, variables } = toCommandLine(options);
  const args = await toDenoArguments([...given, "pipe"]);
  const command = { args, variables };
  // Elsewhere, a path may be another folder's.
  const key = JSON.stringify([process.cwd(), command]);
  const known = shared.get(key);
  const mine = known && !known.client.hasEnded ? known : start(command);
  shared.set(key, mine);
  mine.users++;
  const { client, program } = mine;
  if (onLog) program.logs.add(onLog);
  const sessions = new Set<number>();
  const end = new AbortController();
  let closing: Promise<void> | undefined;
  return {
    ready: client.ready,
    call: async (...[message, options]: Parameters<ProgramClient["call"]>) =>
      await client.call(message, whileOpen(options)),
    run: async (...[message, options]: Parameters<ProgramClient["run"]>) =>
      await client.run(message, whileOpen(options)),
    /** Gives a number to a session, which its first run opens. */
    openSession() {
      checkOpen();
      const session = client.number();
      sessions.add(session);
      return session;
    },
    closeSession,
    /** Waits for the end of what belongs to it: of the launcher, if it is the last. */
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
      if (onLog) program.logs.delete(onLog);
      end.abort();
      // If the launcher ends meanwhile, they end with it.
      await Promise.allSettled([...sessions].map(closeSession));
      return;
    }
    if (shared.get(key) === mine) shared.delete(key);
    mine.isClosed = true;
    await program.close(END_MS);
  }
}
