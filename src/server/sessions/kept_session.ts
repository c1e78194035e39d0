import { Queue } from "../../protocol/channel.ts";
import type { AnyBody } from "../../protocol/held_body.ts";
import type { RunRequest } from "../../protocol/run_messages.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import type { BackgroundUse } from "../../protocol/sandbox_messages.ts";
import {
  type OrRefused,
  refusal,
  type RunFigures,
  type RunOptions,
  type Session,
  type SessionOptions,
} from "../pool/pool.ts";
import { type Loss, lossByRun } from "./session_figures.ts";
import { explainMissing } from "../pool/lacking.ts";
import type { FindOptions, FoundPool, Pools } from "../pool/script_pools.ts";
import { UnsavedNews } from "./unsaved.ts";

/** A session, as its client sees it. */
export interface SessionInfo {
  /** Its handle. */
  session: string;
  /** Times in ISO 8601. */
  created: string;
  used: string;
  runs: number;
  memoryMiB: number;
  state: "ready" | "running" | "saved" | "lost";
  /** Why it could not be saved when that was tried. */
  unsaved?: string[];
  /** What its tasks have computed since its last run, in words. */
  background?: string;
}

/** A client, as its sessions and files know it. */
export interface Owner {
  /** Its sessions and files are for no other name. */
  name: string;
  /**
   * Calls of the same connection that name no session share one, with
   * `--sessions always`; undefined if nothing tells the clients of a name apart.
   */
  connection: string | undefined;
  /**
   * Its runs may have one interpreter after another, rewound; absent if nothing tells
   * it from other clients.
   */
  realm?: string | undefined;
}

/** A session, as the server keeps it. */
export interface KeptSession extends Pick<Owner, "realm"> {
  handle: string;
  owner: Owner["name"];
  /** The connection whose calls without a handle run in it. */
  defaultOf?: string | undefined;
  created: number;
  used: number;
  runs: number;
  /** Calls that run, or wait for their turn. */
  calls: number;
  /** Undefined before a first run, and while the state is in the store alone. */
  life?: SessionLife | undefined;
  /** Its state in the store, which stays there while code runs on. */
  stored?: { at: number; runs: number } | undefined;
  /** The time of the older state from which it goes on, until a run has told it. */
  resumed?: number | undefined;
  /** Why its state is gone, which its client knows; until a run has begun anew. */
  anew?: string | undefined;
  /** When it is stored next, and since when it is not. */
  storing?:
    | { since: number; timer: ReturnType<typeof setTimeout> }
    | undefined;
  /** Its client has ended it: it is forgotten soon. */
  isEnded?: boolean;
  unsaved?: string[];
  /** Times that it was not used, and could not be saved. */
  failedRests?: number;
  /** Whether it could not be saved as it did not rest: it may later. */
  isBusy?: boolean;
  /** When it was last to make room, and could not be saved: by `performance.now()`. */
  triedAt?: number;
  /** A copy is made: later calls wait. */
  copying?: Promise<unknown> | undefined;
  /** Its interpreter is being saved or ended, or its file copied: calls wait. */
  resting?: Promise<unknown> | undefined;
  /** Resolves as its last call ends, for calls that leave it time to rest. */
  atRest?: PromiseWithResolvers<void> | undefined;
  idle?: ReturnType<typeof setTimeout>;
}

/** Whether a session has an interpreter that can run. */
export function isAwake<E extends Pick<KeptSession, "life" | "resting">>(
  entry: E,
): entry is E & { life: SessionLife } {
  return entry.life !== undefined && entry.life.lost === undefined &&
    !entry.resting;
}

/** Has the calls of a session wait for some work. */
export function holdCalls<T>(entry: KeptSession, work: Promise<T>): Promise<T> {
  const held = work.finally(() => entry.resting = undefined);
  entry.resting = held.catch(() => {
    // The askers of the work get it.
  });
  return held;
}

export function toInfo(entry: KeptSession): SessionInfo {
  const { handle: session, runs, life, calls, unsaved } = entry;
  const isLost = life ? life.lost !== undefined : entry.anew !== undefined;
  const isSaved = !life && entry.stored !== undefined;
  const background = isLost ? undefined : life?.background;
  return {
    session,
    created: new Date(entry.created).toISOString(),
    used: new Date(entry.used).toISOString(),
    runs,
    memoryMiB: isLost ? 0 : life?.memoryMiB ?? 0,
    state: isLost
      ? "lost"
      : isSaved
      ? "saved"
      : calls > 0
      ? "running"
      : "ready",
    ...(unsaved ? { unsaved } : {}),
    ...(background ? { background } : {}),
  };
}

export interface SessionCall extends RunOptions {
  /** Hears of packages that the code asks for. */
  waiter?: FindOptions;
  /** Hears of the handle of the session that the code runs in. */
  onSession?: (handle: string) => void;
}

/** Whether a request changes the state of its session. */
export function isChange({ look }: Pick<RunRequest, "look">): boolean {
  return look === undefined || look === "write_files";
}

/** An interpreter of a session, and the pool that it is of. */
export type Opening = Promise<OrRefused<FoundPool & { session: Session }>>;

/** An interpreter of a session, from its opening to its end. */
export class SessionLife {
  /** The reason for which its state is gone; undefined while it is there. */
  lost: string | undefined;
  /** Undefined if its client has ended it, or a restore that was counted has failed. */
  cause: Loss | undefined;
  /** Memory that it takes beyond a ready interpreter. */
  memoryMiB = 0;
  /** What its tasks have computed since its last run, in words. */
  background: string | undefined;
  /** Runs, and writes of files, that may have changed its state. */
  changes = 0;
  /** Those of them that its state in the store has; undefined without one. */
  storedChanges: number | undefined;
  /** What the session's client is to hear of saves. */
  readonly unsaved: UnsavedNews = new UnsavedNews();
  readonly opened: Opening;
  /** Settles once the session has the calls so far. */
  #last: Promise<unknown> = Promise.resolve();
  #stopping = new AbortController();

  constructor(
    private pools: Pick<Pools, "maybeRefuse">,
    open: (life: SessionLife) => Opening,
  ) {
    this.opened = open(this);
  }

  /** Whether the store has its state as it is. */
  get isStored(): boolean {
    return this.storedChanges === this.changes;
  }

  /** Notes that its state is gone, unless it was before. */
  lose(reason: string, cause?: Loss): void {
    if (this.lost !== undefined) return;
    this.lost = reason;
    this.cause = cause;
  }

  /** Runs code after the runs asked for before. */
  async run(
    request: RunRequest,
    { waiter: _, ...options }: SessionCall,
  ): Promise<RunResult> {
    const isLook = request.look !== undefined;
    const opened = await this.#next(isLook ? undefined : request.code);
    const { session, refused } = opened;
    if (refused) {
      if (refused.status === "session-lost") this.lose(refused.error);
      return refused;
    }
    if (isChange(request)) this.changes++;
    const { signal: stopping } = this.#stopping;
    const result = await session.run(request, {
      ...options,
      signal: AbortSignal.any([stopping, options.signal ?? stopping]),
      onEnd: (figures: RunFigures) => {
        this.memoryMiB = figures.used?.memoryMiB ?? this.memoryMiB;
        if (!isLook) this.background = undefined;
        options.onEnd?.(figures);
      },
    });
    if (session.isLost) {
      const reason = result.status === "session-lost"
        ? "its interpreter has ended"
        : `its interpreter ended in an earlier call (${result.status})`;
      this.lose(reason, lossByRun(result.status));
    }
    return explainMissing(result, opened.lacks);
  }

  /** Takes what its tasks take between two runs. */
  noteBackground({ memoryMiB, cpuSeconds, interrupts }: BackgroundUse): void {
    this.memoryMiB = memoryMiB;
    const stopped = interrupts > 0
      ? ", which is more than they may, and were interrupted"
      : "";
    const seconds = Math.floor(cpuSeconds);
    this.background = seconds > 0
      ? `its tasks have taken ${seconds} s of CPU time since its last run${stopped}`
      : undefined;
  }

  /** Opens a copy, as the session is after the runs asked for before. */
  async copy(options: SessionOptions): Opening {
    const original = await this.#next();
    if (original.refused) return original;
    const reasons: string[] = [];
    const pieces = savePieces(original.session, reasons);
    const from = { pieces, fork: true };
    const copy = await openIn(original, { ...options, from });
    return reasons.length > 0
      ? { refused: refusal("invalid-arguments", reasons.join("; ")) }
      : copy;
  }

  /** Cancels what runs in it; all later runs are cancelled, too. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Cancels what runs in it, and ends its interpreter. */
  async close(): Promise<void> {
    if (this.lost === undefined) this.stop();
    this.lose("it was ended");
    const { session } = await this.opened;
    await session?.close();
  }

  /** Gives the session to one call after another, if it has what code asks for. */
  #next(code?: string): Opening {
    const next = this.#last.then(async () => {
      const opened = await this.opened;
      const refused = opened.environment && code !== undefined &&
        await this.pools.maybeRefuse(code, opened.environment);
      return refused ? { refused } : opened;
    });
    this.#last = next.catch(() => {});
    return next;
  }
}

/** Opens a session with the packages that its first code asks for. */
export async function openFor(
  code: string,
  pools: Pick<Pools, "find">,
  call: SessionCall,
): Opening {
  const found = await pools.find(code, { ...call.waiter, maybeBare: true });
  return found.refused ? found : await openIn(found, placeOf(call));
}

/** The caller of a call, and its end, for the place that it waits for. */
export function placeOf(
  { client, realm, signal }: SessionCall,
): SessionOptions {
  return {
    ...client ? { client } : {},
    ...{ realm },
    ...signal ? { signal } : {},
  };
}

export async function openIn(
  { pool, environment, lacks }: FoundPool,
  options: SessionOptions,
): Opening {
  const { session, refused } = await pool.open(options);
  return refused ? { refused } : { pool, environment, lacks, session };
}

/**
 * The pieces of a session's checkpoint, which is made once they are read: its time
 * is limited, and the reader may have to wait for an interpreter.
 *
 * @param reasons Has why they are not all of them, once they are read.
 */
async function* savePieces(session: Session, reasons: string[]) {
  const next = new Queue<{ piece: AnyBody; onSent: () => void } | "end">();
  const left = Promise.withResolvers<never>();
  left.promise.catch(() => {});
  const saving = session.save((piece) => {
    const sent = Promise.withResolvers<void>();
    next.push({ piece, onSent: sent.resolve });
    return Promise.race([sent.promise, left.promise]);
  }).finally(() => next.push("end"));
  saving.catch(() => {});
  try {
    for (let one; (one = await next.next()) !== "end";) {
      yield one.piece;
      // The reader has sent it, as it asks for the next one.
      one.onSent();
    }
  } finally {
    left.reject(new Error("the reader of a session is gone"));
  }
  const outcome = await saving;
  if ("reasons" in outcome) {
    reasons.push(...outcome.reasons);
    throw new Error(reasons.join("; "));
  }
}
