import type { Item, Share } from "../../shares.ts";

/**
 * A queue that gives each caller its turn, and within it each of its connections: what
 * asks for much waits for itself, and the others do not wait for it.
 */
export class FairQueue<T> {
  #items: T[] = [];
  /** By name; the queue whose turn is next comes first. */
  #queues = new Map<string, FairQueue<T>>();

  get size(): number {
    return this.#queues.values()
      .reduce((sum, { size }) => sum + size, this.#items.length);
  }

  /** @param names Of the caller, and of its connection. */
  push([name, ...below]: readonly string[], item: T): void {
    if (name === undefined) return void this.#items.push(item);
    const queue = this.#queues.get(name) ?? new FairQueue<T>();
    queue.push(below, item);
    this.#queues.set(name, queue);
  }

  /** The item whose turn it is, of those that may go. */
  next(mayGo: (item: T) => boolean = () => true): T | undefined {
    return this.#queues.values().map((queue) => queue.next(mayGo))
      .find((item) => item !== undefined) ?? this.#items.find(mayGo);
  }

  /** Takes an item out: its names have their next turn after all others. */
  take(item: T): boolean {
    for (const [name, queue] of this.#queues) {
      if (!queue.take(item)) continue;
      this.#queues.delete(name);
      if (queue.size > 0) this.#queues.set(name, queue);
      return true;
    }
    const at = this.#items.indexOf(item);
    return at >= 0 && this.#items.splice(at, 1).length > 0;
  }

  /** Takes out the item whose turn it is. */
  shift(): T | undefined {
    const item = this.next();
    if (item !== undefined) this.take(item);
    return item;
  }

  /** All items, in no order. */
  *[Symbol.iterator](): Generator<T> {
    for (const queue of this.#queues.values()) yield* queue;
    yield* this.#items;
  }
}

/** Does so many things at a time, by the turns of those that ask. */
export class InTurn {
  #waiting = new FairQueue<() => void>();

  constructor(private free: number) {}

  /** @param names Of the caller, and of its connection. */
  do<T>(names: readonly string[], start: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(
        names,
        () =>
          void start().then(resolve, reject).finally(() => {
            this.free++;
            this.#next();
          }),
      );
      this.#next();
    });
  }

  #next(): void {
    if (this.free === 0) return;
    const begin = this.#waiting.shift();
    if (!begin) return;
    this.free--;
    begin();
  }
}

/** Slots for runs at a time, for pools that share a machine. */
export class Slots {
  #waiting = new Set<() => void>();

  /** @param share The runs at a time. */
  constructor(private share: Share) {}

  /** Slots that no run has. */
  get free(): number {
    const { total, used } = this.share.status;
    return total - used;
  }

  /** Notes that a run of a caller waits. */
  ask(caller: string): void {
    this.share.ask(caller);
  }

  /** Whether another caller has asked lately. */
  isAskedBeside(caller: string): boolean {
    return this.share.isAskedBeside(caller);
  }

  /** Whether several callers have asked lately. */
  get isContended(): boolean {
    return this.share.isContended;
  }

  /** Whether there is a slot for a caller. */
  isFreeFor(caller: string): boolean {
    return this.share.hasRoom(caller, 1);
  }

  take(caller: string): Item {
    const slot = { caller, amount: 1 };
    this.share.hold(slot);
    return slot;
  }

  /** Has `retry` called once there is a slot again, each pool in its turn. */
  wait(retry: () => void): void {
    this.#waiting.add(retry);
  }

  give(slot: Item): void {
    this.share.drop(slot);
    // Later, as an answer is about to be sent.
    setTimeout(() => {
      const waiting = [...this.#waiting];
      this.#waiting.clear();
      for (const [at, retry] of waiting.entries()) {
        if (this.free > 0) retry();
        else for (const left of waiting.slice(at)) this.#waiting.add(left);
      }
    });
  }
}
