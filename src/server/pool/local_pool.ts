import type { RunRequest } from "../../protocol/run_messages.ts";
import type { PoolSizes } from "../../protocol/server_settings.ts";
import type { PoolStatus, Unready } from "../../protocol/server_status.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { CANCELLED, type Ended, toResult } from "../../results/to_result.ts";
import {
  describeFull,
  type EndCause,
  type Made,
  type OrRefused,
  type Pool,
  type RunOptions,
  type Session,
  type SessionOptions,
} from "./pool.ts";
import {
  type Patience,
  Sandbox,
  type SandboxEvents,
  type SandboxOptions,
  type SandboxProcess,
} from "./sandbox.ts";
import { ASKING_MS, type Item, Share, UNKNOWN } from "../../shares.ts";
import { LocalSession } from "./local_session.ts";
import { FairQueue, Slots } from "./turns.ts";

/** Processes in a row that may end without a run before calls get the reason. */
const MAX_FAILED_STARTS = 3;
const IDLE_MS = 60_000;
/** Sandboxes that are tried for a run, if each ends before it starts the run. */
const MOST_LEASES = 3;
const NOT_TAKEN =
  `${MOST_LEASES} interpreters in a row ended before they started the code. Run \`mcp-run-python doctor\`, or look for a program that kills processes, such as the system's for want of memory.`;

/** Times between processes of one machine. */
export const LOCAL: Patience = { runMs: 4000, cancelMs: 900, callMs: 100 };

/**
 * Runs code in sandbox processes of this machine: keeps some ready, starts more
 * while calls wait, and ends some when no call comes.
 */
export class LocalPool implements Pool {
  #preparing = new Set<Sandbox>();
  #ready: Sandbox[] = [];
  /** Those that have a slot. */
  #busy = new Map<Sandbox, Item>();
  /** Those of sessions, with their callers; they have a slot while they run. */
  #kept = new Map<Sandbox, string>();
  /** The callers of those that are not ready again. */
  #taken = new Map<Sandbox, string>();
  /** The callers of those that others replace. */
  #owed: string[] = [];
  #waiting = new FairQueue<Waiter<Lease>>();
  /** Runs of sessions that wait for the runs before them, or for a slot. */
  #inOrder = 0;
  /** Those of them that wait for a slot. */
  #turns = new FairQueue<Waiter<Turn>>();
  #wasTurn = false;
  #failedStarts = 0;
  /** Why Python cannot start; null once it could, undefined before. */
  #failure: string | null | undefined;
  #isClosed = false;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #isIdle = true;
  /** Whether the last interpreter that came back was rewound, or may be the next time. */
  #areRewound: boolean;
  /** Mean length of the last runs. */
  #runMs = 0;
  #slots: Slots;

  /**
   * @param options.slots Shared with the runs of other pools.
   * @param options.onEnd Takes the reason for which a process is replaced.
   * @param options.idleMs Time without a call after which few sandboxes are enough.
   * @param options.idle Sandboxes that stay ready without calls.
   * @param options.spare Fresh ones that stay ready while calls come: others may call.
   */
  constructor(
    private spawn: () => SandboxProcess,
    private sizes: PoolSizes,
    private options: Omit<SandboxOptions, "patience"> & {
      idleMs?: number;
      idle?: 0 | 1;
      spare?: 0 | 1;
      slots?: Slots;
      onEnd?(reason: string, hasRun: boolean, cause: EndCause): void;
      onMade?(how: Made, detail?: string): void;
    },
  ) {
    this.#areRewound = options.rewinds ?? false;
    this.#slots = options.slots ?? new Slots(new Share(sizes.running));
    this.#grow();
  }

  async run(request: RunRequest, options: RunOptions = {}): Promise<RunResult> {
    if (options.realm === undefined) this.#areRewound = false;
    for (let lease = 1; lease <= MOST_LEASES; lease++) {
      // A run that was taken is not refused any more.
      const { sandbox, refusal } = await this.#lease(options, lease === 1);
      if (!sandbox) return this.#toResult(refusal);
      const started = performance.now();
      try {
        const result = await sandbox.run(request, options);
        if (result) return result;
      } finally {
        sandbox.release();
        this.#runMs += (performance.now() - started - this.#runMs) / 4;
        this.#noteCall();
      }
    }
    return this.#toResult({ status: "crashed", error: NOT_TAKEN });
  }

  /** Opens a session in a sandbox, which has a slot only while the session runs. */
  async open(
    options: SessionOptions = {},
  ): Promise<OrRefused<{ session: Session }>> {
    const { sandbox, refusal } = await this.#lease(options, true);
    if (!sandbox) return { refused: this.#toResult(refusal) };
    // Its source may wait for a slot: a session with runs under way.
    this.#kept.set(sandbox, options.client?.[0] ?? UNKNOWN);
    this.#owe(sandbox);
    this.#giveSlot(sandbox);
    this.#retryLater();
    const failed = options.from && await sandbox.restore(options.from);
    if (failed) {
      const error = `Cannot restore the session: ${failed.reason}.`;
      return { refused: this.#toResult({ status: "crashed", error }) };
    }
    const session = new LocalSession(sandbox, {
      enter: () => this.#enter(sandbox),
      take: (options) => this.#takeTurn(sandbox, options),
      end: () => {
        this.#forget(sandbox);
        if (this.#mayTakeBack(sandbox)) sandbox.release();
        else sandbox.kill();
      },
    });
    return { session };
  }

  get status(): PoolStatus {
    return {
      preparing: this.#preparing.size,
      ready: this.#ready.length,
      busy: this.#busy.size,
      kept: this.#kept.size,
      waiting: this.#waiting.size + this.#inOrder,
    };
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

  /** Whether the interpreter of a session that is over may be rewound for its caller. */
  #mayTakeBack({ isReady, realm }: Sandbox): boolean {
    return isReady && realm !== undefined && this.#areRewound &&
      !this.#isClosed && this.#count() < this.#most;
  }

  #noteCall(): void {
    if (this.#isClosed) return;
    this.#isIdle = false;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      this.#isIdle = true;
      this.#trim();
    }, this.options.idleMs ?? IDLE_MS);
    Deno.unrefTimer(this.#idleTimer);
  }

  #toResult(ending: Ended["ending"]): RunResult {
    return toResult({ ending }, "", this.options.setup.maxOutput);
  }

  /** Waits for a sandbox of its own; refused at once if too many calls wait. */
  async #lease(
    options: SessionOptions,
    mayBeRefused: boolean,
  ): Promise<Lease> {
    if (mayBeRefused && this.#isFull()) return { refusal: this.#refuse() };
    return await this.#wait<Lease>(this.#waiting, options);
  }

  /** A run of a session that was taken is not refused any more. */
  #enter(sandbox: Sandbox): OrRefused<{ place: Disposable }> {
    // A run that waits for the run before it has no use for a free slot.
    const free = this.#busy.has(sandbox) ? 0 : this.#slots.free;
    if (this.#isFull(free)) return { refused: this.#toResult(this.#refuse()) };
    this.#inOrder++;
    return { place: { [Symbol.dispose]: () => void this.#inOrder-- } };
  }

  /** Waits for a slot for the next run of a session. */
  async #takeTurn(
    sandbox: Sandbox,
    options: SessionOptions,
  ): Promise<OrRefused<{ turn: Disposable }>> {
    const { refusal } = await this.#wait<Turn>(
      this.#turns,
      options,
      // At once: no sandbox is started beside the run.
      ({ slot }) => slot && this.#busy.set(sandbox, slot),
    );
    if (refusal) return { refused: this.#toResult(refusal) };
    const end = () => {
      this.#giveSlot(sandbox);
      this.#noteCall();
      this.#retryLater();
    };
    return { turn: { [Symbol.dispose]: end } };
  }

  #wait<Given>(
    queue: FairQueue<Waiter<Given | Refused>>,
    { signal, realm, client = [UNKNOWN] }: SessionOptions,
    onGiven: (given: Given | Refused) => void = () => {},
  ): Promise<Given | Refused> {
    this.#noteCall();
    const { promise, resolve } = Promise.withResolvers<Given | Refused>();
    const give = (given: Given | Refused) => {
      signal?.removeEventListener("abort", cancel);
      onGiven(given);
      resolve(given);
    };
    const [caller = UNKNOWN] = client;
    const waiter = { caller, realm, give };
    const cancel = () => {
      queue.take(waiter);
      resolve({ refusal: CANCELLED });
    };
    if (signal?.aborted) cancel();
    else {
      signal?.addEventListener("abort", cancel, { once: true });
      this.#slots.ask(caller);
      queue.push(client, waiter);
      this.#assign();
    }
    return promise;
  }

  /** A call with a free slot waits for a sandbox only, not for its turn. */
  #isFull(free = this.#slots.free): boolean {
    return this.#waiting.size + this.#inOrder >= this.sizes.waiting + free;
  }

  get retrySeconds(): number {
    const { running, waiting } = this.sizes;
    return Math.ceil(
      Math.max(this.#runMs, 1000) * (waiting + 1) / running / 1000,
    );
  }

  #refuse(): Ended["ending"] {
    return {
      status: "busy",
      error: describeFull(this.sizes, this.retrySeconds),
    };
  }

  /** Called once there is a slot again. */
  #retry = () => this.#assign();

  /** Not now, as an answer is about to be sent: to prepare takes all of a core. */
  #retryLater(): void {
    setTimeout(this.#retry);
  }

  #assign(): void {
    while (true) {
      const mayRun = ({ caller }: Waiter<never>) =>
        this.#slots.isFreeFor(caller);
      const mayLease = (one: Waiter<Lease>) =>
        mayRun(one) && this.#leftFor(one.caller) > 0;
      const first = this.#waiting.next(mayLease);
      if (first) this.#seekFor(first.realm);
      const leasing = this.#waiting.next((one) =>
        mayLease(one) && this.#readyFor(one.realm) !== undefined
      );
      const sandbox = leasing && this.#readyFor(leasing.realm);
      const turning = this.#turns.next(mayRun);
      // Fresh runs and those of sessions in turn.
      const isTurn = turning !== undefined &&
        (leasing === undefined || !this.#wasTurn);
      const { caller } = isTurn ? turning : leasing ?? {};
      if (caller === undefined) break;
      const slot = this.#slots.take(caller);
      this.#wasTurn = isTurn;
      if (isTurn) {
        this.#turns.take(turning);
        turning.give({ slot });
      } else if (sandbox) this.#startLease(leasing, sandbox, slot);
    }
    const isWaiting = this.#ready.length > 0 && this.#waiting.size > 0;
    if (isWaiting || this.#turns.size > 0) this.#slots.wait(this.#retry);
    this.#grow();
  }

  /** The caller's own if there is one, or a fresh one; never that of another. */
  #readyFor(realm: string | undefined): Sandbox | undefined {
    const own = realm === undefined
      ? undefined
      : this.#ready.findLast((one) => one.realm === realm);
    return own ?? this.#ready.find((one) => one.realm === undefined);
  }

  /** Interpreters that a caller may have replaced beside those that it has already. */
  #leftFor(caller: string): number {
    if (!this.#slots.isAskedBeside(caller)) return Infinity;
    // To replace one takes longer than most runs take, and beside them.
    const own = [...this.#taken.values(), ...this.#owed]
      .filter((one) => one === caller);
    return Math.max(0, Math.ceil(this.sizes.running / 2) - own.length);
  }

  /**
   * Has an interpreter come for the call whose turn it is: else calls of realms that
   * have theirs would always come before it.
   */
  #seekFor(realm: string | undefined): void {
    const isComing = this.#coming.some((one) =>
      one.realm === undefined || one.realm === realm
    );
    if (!isComing && this.#failedStarts < MAX_FAILED_STARTS) this.#addFresh();
  }

  #startLease(waiter: Waiter<Lease>, sandbox: Sandbox, slot: Item): void {
    this.#ready = this.#ready.filter((other) => other !== sandbox);
    this.#taken.set(sandbox, slot.caller);
    this.#failedStarts = 0;
    this.#busy.set(sandbox, slot);
    sandbox.lease(waiter.realm);
    this.#waiting.take(waiter);
    waiter.give({ sandbox });
  }

  #grow(): void {
    while (this.#lacks() && this.#addFresh());
    // More are not replaced: their callers may have others.
    const unpaid = this.#owed.splice(this.#preparing.size);
    if (unpaid.length > 0) this.#grow();
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
      (this.#waiting.size > 0 || readySince < performance.now() - ASKING_MS)
    );
    oldest?.renew();
    if (oldest) this.options.onMade?.("caller");
    return oldest !== undefined;
  }

  get #most(): number {
    const { spare = 0 } = this.options;
    return Math.max(this.sizes.ready, this.sizes.running + spare);
  }

  /** Another takes the place of a sandbox. */
  #owe(sandbox: Sandbox): void {
    const caller = this.#taken.get(sandbox);
    if (caller !== undefined) this.#owed.push(caller);
    this.#taken.delete(sandbox);
  }

  /** Sandboxes that no session has. */
  #count(): number {
    const leased = [...this.#busy.keys()]
      .filter((one) => !this.#kept.has(one)).length;
    return this.#ready.length + this.#preparing.size + leased;
  }

  /** Those that are ready, or get ready. */
  get #coming(): Sandbox[] {
    return [...this.#ready, ...this.#preparing];
  }

  #lacks(): boolean {
    const coming = this.#coming.length;
    // If Python cannot start, only a call has it tried again.
    if (this.#failedStarts >= MAX_FAILED_STARTS) {
      return coming < Math.min(this.#waiting.size, 1);
    }
    return this.#lacksFresh || this.#waiting.size === 0 &&
        coming < this.#wanted() && this.#count() < this.#most;
  }

  /** Whether more are wanted that are not of a realm. */
  get #lacksFresh(): boolean {
    const of = new Map<string | undefined, number>();
    for (const { realm } of this.#coming) {
      of.set(realm, (of.get(realm) ?? 0) + 1);
    }
    const fresh = of.get(undefined) ?? 0;
    if (this.#waiting.size === 0) {
      return fresh < Math.min(this.#wanted(), this.options.spare ?? 0);
    }
    let own = 0;
    /** By the callers for which they would be. */
    const others = new Map<string, number>();
    for (const { realm, caller } of this.#waiting) {
      const left = realm === undefined ? 0 : of.get(realm) ?? 0;
      if (left > 0) of.set(realm, left - 1);
      if (left > 0) own++;
      else others.set(caller, (others.get(caller) ?? 0) + 1);
    }
    // A rewound one is back before another is made.
    const most = this.#areRewound ? this.#slots.free - own : Infinity;
    const wanted = others.entries().reduce(
      (sum, [caller, count]) => sum + Math.min(count, this.#leftFor(caller)),
      0,
    );
    return fresh < Math.min(wanted, most);
  }

  /** Sandboxes that should be ready, or get ready, if no call waits. */
  #wanted(): number {
    const floor = this.#floor();
    if (this.#busy.size === 0) return floor;
    // While a call runs, it has the cores; but of several callers, some would
    // always find none that is ready.
    return this.#slots.isContended
      ? Math.min(this.#ready.length + 1, floor)
      : 0;
  }

  /** Sandboxes that stay ready without a call that waits. */
  #floor(): number {
    if (this.#isClosed) return 0;
    if (this.#isIdle) return this.options.idle ?? 1;
    // One is enough for a caller to whom it comes back in milliseconds.
    const { ready } = this.sizes;
    return this.#areRewound && !this.#slots.isContended
      ? Math.min(1, ready)
      : ready;
  }

  #trim(): void {
    while (this.#ready.length > Math.max(this.#waiting.size, this.#floor())) {
      // The one that stays is for all who may call.
      const at = this.#ready.findIndex(({ realm }) =>
        (realm !== undefined) === (this.options.spare === 1)
      );
      this.#ready.splice(at, 1)[0]?.kill();
    }
    if (!this.#isClosed || this.#waiting.size > 0) return;
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
      this.#assign();
      if (this.#isIdle || this.#isClosed) this.#trim();
    },
    onReleased: (sandbox) => {
      this.#forget(sandbox);
      this.#preparing.add(sandbox);
      this.#retryLater();
    },
    // It has no slot for that.
    onBackground: (sandbox) => {
      const caller = this.#kept.get(sandbox) ?? UNKNOWN;
      if (this.#slots.isAskedBeside(caller)) sandbox.pause();
    },
    onEnd: (sandbox, reason, cause) => {
      this.#forget(sandbox);
      this.#owe(sandbox);
      this.#areRewound = false;
      this.options.onEnd?.(reason, sandbox.hasRun, cause);
      if (sandbox.hasRun || this.#isClosed) return this.#retryLater();
      this.#failedStarts++;
      if (this.#failedStarts < MAX_FAILED_STARTS) return this.#assign();
      this.#failure = reason;
      const error =
        `Python cannot start: ${reason}. Run \`mcp-run-python doctor\` with the same options to see whether its environment is complete.`;
      for (let waiter; (waiter = this.#waiting.shift());) {
        waiter.give({ refusal: { status: "crashed", error } });
      }
    },
  };

  #forget(sandbox: Sandbox): void {
    this.#ready = this.#ready.filter((other) => other !== sandbox);
    this.#preparing.delete(sandbox);
    this.#kept.delete(sandbox);
    this.#giveSlot(sandbox);
  }

  #giveSlot(sandbox: Sandbox): void {
    const slot = this.#busy.get(sandbox);
    this.#busy.delete(sandbox);
    if (slot) this.#slots.give(slot);
  }
}

/** A call that waits. */
interface Waiter<Given> {
  caller: string;
  realm: string | undefined;
  give(given: Given): void;
}

/** The ending of the runs that cannot have a sandbox. */
interface Refused {
  sandbox?: never;
  slot?: never;
  refusal: Ended["ending"];
}

type Lease = { sandbox: Sandbox; refusal?: never } | Refused;
type Turn = { slot: Item; refusal?: never } | Refused;
