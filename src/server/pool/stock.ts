import type { PoolSizes } from "../../protocol/server_settings.ts";
import type { Unready } from "../../protocol/server_status.ts";
import { ASKING_MS } from "../../shares.ts";
import type { EndCause, Made } from "./pool.ts";
import {
  type Patience,
  Sandbox,
  type SandboxEvents,
  type SandboxOptions,
  type SandboxProcess,
} from "./sandbox.ts";
import type { Slots } from "./turns.ts";

/** Processes in a row that may end without a run before calls get the reason. */
const MAX_FAILED_STARTS = 3;
const IDLE_MS = 60_000;

/** Times between processes of one machine. */
export const LOCAL: Patience = { runMs: 4000, cancelMs: 900, callMs: 100 };

export interface StockOptions extends Omit<SandboxOptions, "patience"> {
  /** Time without a call after which few sandboxes are enough. */
  idleMs?: number;
  /** Sandboxes that stay ready without calls. */
  idle?: 0 | 1;
  /** Fresh ones that stay ready while calls come: others may call. */
  spare?: 0 | 1;
  /** Takes the reason for which a process is replaced. */
  onEnd?(reason: string, hasRun: boolean, cause: EndCause): void;
  onMade?(how: Made, detail?: string): void;
}

/** A call that wants an interpreter. */
export interface Asking {
  caller: string;
  realm: string | undefined;
}

/** The calls for which a stock has its sandboxes. */
interface Calls {
  waiting: Iterable<Asking> & { readonly size: number };
  slots: Slots;
  /** Runs that have a slot. */
  running(): number;
  /** Gives what is ready to the calls that wait. */
  assign(): void;
  /** The same, once an answer was sent: to prepare takes all of a core. */
  assignLater(): void;
  /** A sandbox is with no call or session any more. */
  forget(sandbox: Sandbox): void;
  /** Ends the calls that wait, as Python cannot start. */
  refuse(error: string): void;
  /** The task of a session computes between its runs. */
  onBackground(sandbox: Sandbox): void;
}

/**
 * The sandboxes of a pool that no session has: those that get ready, are ready, or are
 * with a call. Says which of them fits a call, starts more while calls wait, and ends some
 * when no call comes.
 */
export class Stock {
  #preparing = new Set<Sandbox>();
  #ready: Sandbox[] = [];
  /** The callers of those that are not ready again. */
  #taken = new Map<Sandbox, string>();
  /** The callers of those that others replace. */
  #owed: string[] = [];
  #failedStarts = 0;
  /** Why Python cannot start; null once it could, undefined before. */
  #failure: string | null | undefined;
  #isClosed = false;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #isIdle = true;
  /** Whether the last interpreter that came back was rewound, or may be the next time. */
  #areRewound: boolean;

  constructor(
    private spawn: () => SandboxProcess,
    private sizes: PoolSizes,
    private options: StockOptions,
    private calls: Calls,
  ) {
    this.#areRewound = options.rewinds ?? false;
  }

  get preparing(): number {
    return this.#preparing.size;
  }

  get ready(): number {
    return this.#ready.length;
  }

  /** All that no session has. */
  get sandboxes(): Sandbox[] {
    return [...this.#coming, ...this.#taken.keys()];
  }

  get unready(): Unready | undefined {
    if (this.#failure === null) return undefined;
    return this.#failure === undefined
      ? { state: "starting", reason: "Python is starting." }
      : { state: "failed", reason: `Python cannot start: ${this.#failure}.` };
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    this.#trim();
  }

  noteCall(): void {
    if (this.#isClosed) return;
    this.#isIdle = false;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      this.#isIdle = true;
      this.#trim();
    }, this.options.idleMs ?? IDLE_MS);
    Deno.unrefTimer(this.#idleTimer);
  }

  /** A call comes whose interpreter is to be made anew. */
  noteFresh(): void {
    this.#areRewound = false;
  }

  /** The caller's own if there is one, or a fresh one; never that of another. */
  find(realm: string | undefined): Sandbox | undefined {
    const own = realm === undefined
      ? undefined
      : this.#ready.findLast((one) => one.realm === realm);
    return own ?? this.#ready.find((one) => one.realm === undefined);
  }

  /** Interpreters that a caller may have replaced beside those that it has already. */
  leftFor(caller: string): number {
    if (!this.calls.slots.isAskedBeside(caller)) return Infinity;
    // To replace one takes longer than most runs take, and beside them.
    const own = [...this.#taken.values(), ...this.#owed]
      .filter((one) => one === caller);
    return Math.max(0, Math.ceil(this.sizes.running / 2) - own.length);
  }

  /**
   * Has an interpreter come for the call whose turn it is: else calls of realms that
   * have theirs would always come before it.
   */
  seekFor(realm: string | undefined): void {
    const isComing = this.#coming.some((one) =>
      one.realm === undefined || one.realm === realm
    );
    if (!isComing && this.#failedStarts < MAX_FAILED_STARTS) this.#addFresh();
  }

  /** Gives a ready one to a call. */
  take(sandbox: Sandbox, { caller, realm }: Asking): void {
    this.#ready = this.#ready.filter((other) => other !== sandbox);
    this.#taken.set(sandbox, caller);
    this.#failedStarts = 0;
    sandbox.lease(realm);
  }

  /** Another takes the place of a sandbox: it is a session's, or has ended. */
  owe(sandbox: Sandbox): void {
    const caller = this.#taken.get(sandbox);
    if (caller !== undefined) this.#owed.push(caller);
    this.#taken.delete(sandbox);
  }

  /** Whether the interpreter of a session that is over may be rewound for its caller. */
  mayTakeBack({ isReady, realm }: Sandbox): boolean {
    return isReady && realm !== undefined && this.#areRewound &&
      !this.#isClosed && this.#count() < this.#most;
  }

  grow(): void {
    while (this.#lacks() && this.#addFresh());
    // More are not replaced: their callers may have others.
    const unpaid = this.#owed.splice(this.#preparing.size);
    if (unpaid.length > 0) this.grow();
  }

  /**
   * Has one more prepared for anybody: a new one, or the least recently used one of a
   * realm. False if there is none.
   */
  #addFresh(): boolean {
    if (this.#count() < this.#most) {
      const options = { patience: LOCAL, ...this.options };
      const sandbox = new Sandbox(this.spawn(), this.#events, options);
      this.#preparing.add(sandbox);
      return true;
    }
    // A spare takes the interpreter of a caller that has not used it for a while; a call
    // that waits takes it at once.
    const oldest = this.#ready.find(({ realm, readySince }) =>
      realm !== undefined &&
      (this.calls.waiting.size > 0 ||
        readySince < performance.now() - ASKING_MS)
    );
    oldest?.renew();
    if (oldest) this.options.onMade?.("caller");
    return oldest !== undefined;
  }

  get #most(): number {
    const { spare = 0 } = this.options;
    return Math.max(this.sizes.ready, this.sizes.running + spare);
  }

  /** Sandboxes that no session has. */
  #count(): number {
    const leased = this.#taken.keys()
      .filter((one) => !this.#preparing.has(one)).toArray();
    return this.#ready.length + this.#preparing.size + leased.length;
  }

  /** Those that are ready, or get ready. */
  get #coming(): Sandbox[] {
    return [...this.#ready, ...this.#preparing];
  }

  #lacks(): boolean {
    const coming = this.#coming.length;
    // If Python cannot start, only a call has it tried again.
    if (this.#failedStarts >= MAX_FAILED_STARTS) {
      return coming < Math.min(this.calls.waiting.size, 1);
    }
    return this.#lacksFresh || this.calls.waiting.size === 0 &&
        coming < this.#wanted() && this.#count() < this.#most;
  }

  /** Whether more are wanted that are not of a realm. */
  get #lacksFresh(): boolean {
    const of = new Map<string | undefined, number>();
    for (const { realm } of this.#coming) {
      of.set(realm, (of.get(realm) ?? 0) + 1);
    }
    const fresh = of.get(undefined) ?? 0;
    if (this.calls.waiting.size === 0) {
      return fresh < Math.min(this.#wanted(), this.options.spare ?? 0);
    }
    let own = 0;
    /** By the callers for which they would be. */
    const others = new Map<string, number>();
    for (const { realm, caller } of this.calls.waiting) {
      const left = realm === undefined ? 0 : of.get(realm) ?? 0;
      if (left > 0) of.set(realm, left - 1);
      if (left > 0) own++;
      else others.set(caller, (others.get(caller) ?? 0) + 1);
    }
    // A rewound one is back before another is made.
    const most = this.#areRewound ? this.calls.slots.free - own : Infinity;
    const wanted = others.entries().reduce(
      (sum, [caller, count]) => sum + Math.min(count, this.leftFor(caller)),
      0,
    );
    return fresh < Math.min(wanted, most);
  }

  /** Sandboxes that should be ready, or get ready, if no call waits. */
  #wanted(): number {
    const floor = this.#floor();
    if (this.calls.running() === 0) return floor;
    // While a call runs, it has the cores; but of several callers, some would
    // always find none that is ready.
    return this.calls.slots.isContended
      ? Math.min(this.#ready.length + 1, floor)
      : 0;
  }

  /** Sandboxes that stay ready without a call that waits. */
  #floor(): number {
    if (this.#isClosed) return 0;
    if (this.#isIdle) return this.options.idle ?? 1;
    // A single interpreter is enough for a caller to whom it comes back in milliseconds.
    const { ready } = this.sizes;
    return this.#areRewound && !this.calls.slots.isContended
      ? Math.min(1, ready)
      : ready;
  }

  #trim(): void {
    while (
      this.#ready.length > Math.max(this.calls.waiting.size, this.#floor())
    ) {
      // The one that stays is for all who may call.
      const at = this.#ready.findIndex(({ realm }) =>
        (realm !== undefined) === (this.options.spare === 1)
      );
      this.#ready.splice(at, 1)[0]?.kill();
    }
    if (!this.#isClosed || this.calls.waiting.size > 0) return;
    for (const sandbox of this.#preparing) sandbox.kill();
    this.#preparing.clear();
  }

  #events: SandboxEvents = {
    onReady: (sandbox, made) => {
      this.#failure = null;
      this.#forget(sandbox);
      if (!this.#taken.delete(sandbox) && !sandbox.hasRun) this.#owed.shift();
      if (made !== undefined) {
        const { cause: how, detail } = made === "rewound"
          ? { cause: made, detail: "" }
          : made;
        this.#areRewound = how === "rewound" || how === "not-kept";
        this.options.onMade?.(how, detail);
      }
      this.#ready.push(sandbox);
      this.calls.assign();
      if (this.#isIdle || this.#isClosed) this.#trim();
    },
    onReleased: (sandbox) => {
      this.#forget(sandbox);
      this.#preparing.add(sandbox);
      this.calls.assignLater();
    },
    onBackground: (sandbox) => this.calls.onBackground(sandbox),
    onEnd: (sandbox, reason, cause) => {
      this.#forget(sandbox);
      this.owe(sandbox);
      this.#areRewound = false;
      this.options.onEnd?.(reason, sandbox.hasRun, cause);
      if (sandbox.hasRun || this.#isClosed) return this.calls.assignLater();
      this.#failedStarts++;
      if (this.#failedStarts < MAX_FAILED_STARTS) return this.calls.assign();
      this.#failure = reason;
      const error =
        `Python cannot start: ${reason}. Run \`mcp-run-python doctor\` with the same options to see whether its environment is complete.`;
      this.calls.refuse(error);
    },
  };

  #forget(sandbox: Sandbox): void {
    this.#ready = this.#ready.filter((other) => other !== sandbox);
    this.#preparing.delete(sandbox);
    this.calls.forget(sandbox);
  }
}
