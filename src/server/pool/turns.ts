/**
 * A queue that gives each client its turn: a client that asks for much waits for
 * itself, and the others do not wait for it.
 */
export class FairQueue<T> {
  /** Items of each client; the client whose turn is next comes first. */
  #queues = new Map<string, T[]>();

  get size(): number {
    return this.#queues.values().reduce((sum, { length }) => sum + length, 0);
  }

  push(client: string, item: T): void {
    const queue = this.#queues.get(client) ?? [];
    queue.push(item);
    this.#queues.set(client, queue);
  }

  /** Takes the first item of the client whose turn it is. */
  shift(): T | undefined {
    const [turn] = this.#queues;
    if (!turn) return undefined;
    const [client, queue] = turn;
    const item = queue.shift();
    this.#queues.delete(client);
    if (queue.length > 0) this.#queues.set(client, queue);
    return item;
  }

  remove(item: T): void {
    for (const [client, queue] of this.#queues) {
      const at = queue.indexOf(item);
      if (at < 0) continue;
      queue.splice(at, 1);
      if (queue.length === 0) this.#queues.delete(client);
    }
  }
}

/** Slots for runs at a time, for pools that share a machine. */
export class Slots {
  #waiting = new Set<() => void>();

  constructor(private count: number) {}

  /** Slots that no run has. */
  get free(): number {
    return this.count;
  }

  /**
   * Takes a slot. If none is free, `retry` is called once a slot is, each pool in
   * its turn.
   */
  take(retry: () => void): boolean {
    const isFree = this.free > 0;
    if (isFree) this.count--;
    else this.#waiting.add(retry);
    return isFree;
  }

  give(): void {
    this.count++;
    // Later, as an answer is about to be sent.
    setTimeout(() => {
      for (const retry of this.#waiting) {
        if (this.free === 0) return;
        this.#waiting.delete(retry);
        retry();
      }
    });
  }
}
