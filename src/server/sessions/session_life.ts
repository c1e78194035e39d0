import type { RunRequest } from "../../protocol/run_messages.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { type InstallWaiter, refusal } from "../pool/installs.ts";
import type { Pool, RunFigures, RunOptions, Session } from "../pool/pool.ts";
import { hasMetadata, type ScriptPools } from "../pool/script_pools.ts";

export interface SessionCall extends RunOptions {
  /** Hears of packages that the code asks for. */
  waiter?: InstallWaiter;
  /** Hears of the handle of the session that the code runs in. */
  onSession?: (handle: string) => void;
}

/** An interpreter of a session, and the pool that it is of. */
export interface OpenedSession {
  pool: Pool;
  session: Session;
}

/** An interpreter of a session, from its opening to its end. */
export class SessionLife {
  /** The reason for which its state is gone; undefined while it is there. */
  lost: string | undefined;
  /** Memory that it takes beyond a ready interpreter. */
  memoryMiB = 0;
  /** The session; or the result of a run that is refused. */
  readonly opened: Promise<OpenedSession | RunResult>;
  #stopping = new AbortController();

  constructor(
    private pools: Pick<ScriptPools, "find">,
    open: (life: SessionLife) => SessionLife["opened"],
  ) {
    this.opened = open(this);
  }

  /**
   * Runs code after the runs asked for before. The result says of a run that was
   * stopped whether the state is still there.
   */
  async run(
    request: RunRequest,
    { waiter, ...options }: SessionCall,
  ): Promise<RunResult> {
    const opened = await this.opened;
    if (!("pool" in opened)) {
      if (opened.status === "session-lost") this.lost ??= opened.error;
      return opened;
    }
    if (request.look === undefined && hasMetadata(request.code)) {
      const pool = await this.pools.find(request.code, waiter);
      if (!("run" in pool)) return pool;
      // What the server's own packages are enough for runs in each environment.
      const isEnough = pool === opened.pool ||
        pool === await this.pools.find("");
      if (!isEnough) return refusal("denied", OTHER_PACKAGES);
    }
    const { session } = opened;
    const { signal: stopping } = this.#stopping;
    const result = await session.run(request, {
      ...options,
      signal: AbortSignal.any([stopping, options.signal ?? stopping]),
      onEnd: (figures: RunFigures) => {
        this.memoryMiB = figures.used?.memoryMiB ?? this.memoryMiB;
        options.onEnd?.(figures);
      },
    });
    if (session.isLost) {
      this.lost ??= result.status === "session-lost"
        ? "its interpreter has ended"
        : `its interpreter ended in an earlier call (${result.status})`;
    }
    return describeState(result, this.lost !== undefined);
  }

  /** Cancels what runs in it; all later runs are cancelled, too. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Cancels what runs in it, and ends its interpreter. */
  async close(): Promise<void> {
    this.lost ??= "it was ended";
    this.stop();
    const opened = await this.opened;
    if ("pool" in opened) await opened.session.close();
  }
}

const OTHER_PACKAGES =
  'This session has other packages than the code asks for, and can get no more. Open another session for the code with session "new".';

function describeState(result: RunResult, isLost: boolean): RunResult {
  const { status } = result;
  // These say it by themselves, or leave no doubt.
  if (status === "success" || status === "session-lost") return result;
  if (!isLost && !["timeout", "cancelled", "memory-limit"].includes(status)) {
    return result;
  }
  const state = isLost
    ? "The session's state is gone: its variables, imports and files."
    : "The session goes on: its variables and files are as the code left them.";
  return { ...result, error: `${result.error} ${state}` };
}
