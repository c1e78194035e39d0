import type { RunRequest } from "../../protocol/run_messages.ts";
import type { PoolSizes } from "../../protocol/server_settings.ts";
import type {
  PoolStatus,
  Unready,
  Waits,
} from "../../protocol/server_status.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { CANCELLED, type Ended, toResult } from "../../results/to_result.ts";
import {
  describeFull,
  type OrRefused,
  type Pool,
  type RunOptions,
  type Session,
  type SessionOptions,
} from "./pool.ts";
import type { Sandbox, SandboxProcess } from "./sandbox.ts";
import { type Item, Share, UNKNOWN } from "../../shares.ts";
import { LocalSession } from "./local_session.ts";
import { Stock, type StockOptions } from "./stock.ts";
import { FairQueue, Slots } from "./turns.ts";

/** Sandboxes that are tried for a run, if each ends before it starts the run. */
const MOST_LEASES = 3;
const NOT_TAKEN =
  `${MOST_LEASES} interpreters in a row ended before they started the code. Run \`mcp-run-python doctor\`, or look for a program that kills processes, such as the system's for want of memory.`;

/**
 * Runs code in sandbox processes of this machine: gives each call its turn, and each
 * turn one of the slots. The stock has the processes ready.
 */
export class LocalPool implements Pool {
  /** Those that have a slot. */
  #busy = new Map<Sandbox, Item>();
  /** Those of sessions, with their callers; they have a slot while they run. */
  #kept = new Map<Sandbox, string>();
  #waiting = new FairQueue<Waiter<Lease>>();
  /** Runs of sessions that wait for the runs before them, or for a slot. */
  #inOrder = 0;
  /** Those of them that wait for a slot. */
  #turns = new FairQueue<Waiter<Turn>>();
  #wasTurn = false;
  /** Mean length of the last runs. */
  #runMs = 0;
  #slots: Slots;
  #stock: Stock;

  /** @param options.slots Shared with the runs of other pools. */
  constructor(
    spawn: () => SandboxProcess,
    private sizes: PoolSizes,
    private options: StockOptions & { slots?: Slots },
  ) {
    this.#slots = options.slots ?? new Slots(new Share(sizes.running));
    this.#stock = new Stock(spawn, sizes, options, {
      waiting: this.#waiting,
      slots: this.#slots,
      running: () => this.#busy.size,
      assign: () => this.#assign(),
      assignLater: () => this.#assignLater(),
      forget: (sandbox) => this.#forget(sandbox),
      refuse: (error) => {
        for (let waiter; (waiter = this.#waiting.shift());) {
          waiter.give({ refusal: { status: "crashed", error } });
        }
      },
      // It has no slot for that.
      onBackground: (sandbox) => {
        const caller = this.#kept.get(sandbox) ?? UNKNOWN;
        if (this.#slots.isAskedBeside(caller)) sandbox.pause();
      },
    });
    this.#stock.grow();
  }

  async run(request: RunRequest, options: RunOptions = {}): Promise<RunResult> {
    if (options.realm === undefined) this.#stock.noteFresh();
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
        this.#stock.noteCall();
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
    this.#stock.owe(sandbox);
    this.#giveSlot(sandbox);
    this.#assignLater();
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
        if (this.#stock.mayTakeBack(sandbox)) sandbox.release();
        else sandbox.kill();
      },
    });
    return { session };
  }

  get status(): PoolStatus {
    return {
      preparing: this.#stock.preparing,
      ready: this.#stock.ready,
      busy: this.#busy.size,
      kept: this.#kept.size,
      waiting: this.#waiting.size + this.#inOrder,
      memoryMiB: this.#memoryMiB,
    };
  }

  get waits(): Omit<Waits, "packages"> {
    // A call with a free slot waits for a sandbox only.
    const interpreter = Math.min(this.#waiting.size, this.#slots.free);
    const turns = this.#turns.size;
    const turn = this.#waiting.size - interpreter + turns;
    return { interpreter, turn, session: this.#inOrder - turns };
  }

  get #memoryMiB(): number {
    const others = [...this.#busy.keys(), ...this.#kept.keys()];
    return [...new Set([...this.#stock.sandboxes, ...others])]
      .reduce((sum, { memoryMiB }) => sum + memoryMiB, 0);
  }

  get unready(): Unready | undefined {
    return this.#stock.unready;
  }

  close(): void {
    this.#stock.close();
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
      this.#stock.noteCall();
      this.#assignLater();
    };
    return { turn: { [Symbol.dispose]: end } };
  }

  #wait<Given>(
    queue: FairQueue<Waiter<Given | Refused>>,
    { signal, realm, client = [UNKNOWN] }: SessionOptions,
    onGiven: (given: Given | Refused) => void = () => {},
  ): Promise<Given | Refused> {
    this.#stock.noteCall();
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
  #assignLater(): void {
    setTimeout(this.#retry);
  }

  #assign(): void {
    while (true) {
      const mayRun = ({ caller }: Waiter<never>) =>
        this.#slots.isFreeFor(caller);
      const mayLease = (one: Waiter<Lease>) =>
        mayRun(one) && this.#stock.leftFor(one.caller) > 0;
      const first = this.#waiting.next(mayLease);
      if (first) this.#stock.seekFor(first.realm);
      const leasing = this.#waiting.next((one) =>
        mayLease(one) && this.#stock.find(one.realm) !== undefined
      );
      const sandbox = leasing && this.#stock.find(leasing.realm);
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
      } else if (sandbox) {
        this.#stock.take(sandbox, leasing);
        this.#busy.set(sandbox, slot);
        this.#waiting.take(leasing);
        leasing.give({ sandbox });
      }
    }
    const isWaiting = this.#stock.ready > 0 && this.#waiting.size > 0;
    if (isWaiting || this.#turns.size > 0) this.#slots.wait(this.#retry);
    this.#stock.grow();
  }

  #forget(sandbox: Sandbox): void {
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
