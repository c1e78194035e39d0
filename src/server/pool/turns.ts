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

  /** Takes the first item whose turn it is. */
  shift(): T | undefined {
    const [turn] = this.#queues;
    if (this.#items.length > 0 || !turn) return this.#items.shift();
    const [name, queue] = turn;
    const item = queue.shift();
    this.#queues.delete(name);
    if (queue.size > 0) this.#queues.set(name, queue);
    return item;
  }

  remove(item: T): void {
    this.#items = this.#items.filter((other) => other !== item);
    for (const [name, queue] of this.#queues) {
      queue.remove(item);
      if (queue.size === 0) this.#queues.delete(name);
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
