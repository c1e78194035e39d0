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
