/**
 * How callers share what they have in common: each bounded resource has a total.
 *
 * - A caller alone may have all of it. While another caller asks, or uses what it has,
 *   none may get more than half.
 * - If there is no room, an item gives way that is not used: of the caller that has
 *   most, among those that have such an item. What is used stays until it rests.
 *
 * @module
 */

/**
 * Whether an item may give way: an idle one at once, one on which a client listens
 * only if no item is idle, as the client can come back.
 */
export type Rest = "idle" | "listening" | "used";

/** A part of a resource that a caller has. */
export interface Item {
  /** `UNKNOWN` until the caller has said its name. */
  caller: string;
  /** In the resource's unit. */
  amount: number;
  /** For a caller that asks; absent for an item that is used until its end. */
  rest?(asking?: string): Rest;
  /** Ends it, or makes it smaller, for a caller that asks. */
  giveWay?(asking?: string): unknown;
}

/** Nothing that it has is kept from callers with a name. */
export const UNKNOWN = "";

/** For these, half is kept of what does not give way for long. */
export const CALLERS_TO_COME = "\0";

/** Time for which a caller that has asked is taken into account. */
export const ASKING_MS = 60_000;

/** Time between two looks for room, if no item goes. */
const LOOK_MS = 1000;

/** Figures of a resource. */
export interface ShareStatus {
  used: number;
  total: number;
  /** Callers that have some of it. */
  callers: number;
  /** Items that found no room. */
  refused: number;
  /** Items that made room for others. */
  gaveWay: number;
}

/** A resource, and the items that its callers have. */
export class Share {
  /** The least recently used first. */
  #items = new Set<Item>();
  #sums = new Map<string, number>();
  #used = 0;
  #refused = 0;
  #gaveWay = 0;
  /** The last caller that has asked, and the last one of another name. */
  #asked: { caller: string; at: number }[] = [];
  /** When callers that found no room asked last; that which waits longest first. */
  #owedTo = new Map<string, number>();
  #onRoom = new Set<() => void>();

  /** @param now Gives a time in milliseconds. */
  constructor(
    readonly total: number,
    private now: () => number = () => performance.now(),
  ) {}

  get status(): ShareStatus {
    return {
      used: this.#used,
      total: this.total,
      callers: this.#sums.size,
      refused: this.#refused,
      gaveWay: this.#gaveWay,
    };
  }

  /** The least recently used first. */
  get items(): ReadonlySet<Item> {
    return this.#items;
  }

  /** Takes an item in; others give way for it. False if there is no room. */
  take(item: Item): boolean {
    if (!this.#makeRoom(item.caller, item.amount)) return false;
    this.hold(item);
    return true;
  }

  /**
   * Takes an item in as soon as there is room.
   *
   * @throws The signal's reason, if that aborts first.
   */
  async enter(item: Item, signal: AbortSignal): Promise<void> {
    while (!this.take(item)) {
      signal.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onRoom.add(resolve);
      // An item comes to rest without a word.
      const look = setTimeout(resolve, LOOK_MS);
      await promise;
      clearTimeout(look);
    }
    signal.throwIfAborted();
  }

  /** Counts an item that is there, whether there is room or not. */
  hold(item: Item): void {
    this.#items.add(item);
    this.#add(item.caller, item.amount);
  }

  /** Gives an item of the resource another size; false if there is no room. */
  resize(item: Item, amount: number): boolean {
    const more = amount - item.amount;
    if (!this.#items.has(item)) return false;
    if (more > 0 && !this.#makeRoom(item.caller, more)) return false;
    // It may have got smaller itself, to make room.
    this.measure(item, item.amount + more);
    return true;
  }

  /** Notes the size that an item has by itself. */
  measure(item: Item, amount: number): void {
    if (!this.#items.has(item)) return;
    this.#add(item.caller, amount - item.amount);
    item.amount = amount;
  }

  /** Gives an item to another caller; false if there is no room in its share. */
  move(item: Item, caller: string): boolean {
    if (item.caller === caller) return true;
    const isHeld = this.#items.has(item);
    this.drop(item);
    item.caller = caller;
    return isHeld && this.take(item);
  }

  /** Notes that an item was used: its caller wants it still. */
  touch(item: Item): void {
    this.ask(item.caller);
    if (this.#items.delete(item)) this.#items.add(item);
  }

  /** An item is gone. */
  drop(item: Item): void {
    if (this.#items.delete(item)) this.#add(item.caller, -item.amount);
  }

  /** Notes that a caller wants some. */
  ask(caller: string): void {
    if (caller === UNKNOWN) return;
    const other = this.#asked.find((one) => one.caller !== caller);
    const latest = { caller, at: this.now() };
    this.#asked = other ? [latest, other] : [latest];
  }

  /** Whether another caller has asked lately. */
  isAskedBeside(caller: string): boolean {
    return this.#otherThan(caller) !== undefined;
  }

  /** Whether several callers have asked lately. */
  get isContended(): boolean {
    const [latest] = this.#asked;
    return latest !== undefined && this.isAskedBeside(latest.caller);
  }

  /** Whether there is room for so much more of a caller, if none gives way. */
  hasRoom(caller: string, more: number): boolean {
    const wanted = more + (this.#sums.get(caller) ?? 0);
    return wanted <= this.#mostOf(caller) && this.#used + more <= this.total;
  }

  /**
   * Finds room for so much more of a caller.
   *
   * @returns The item that has to give way first; `true` if there is room, undefined
   * if there is none.
   */
  find(caller: string, more: number): Item | true | undefined {
    this.ask(caller);
    if (this.hasRoom(caller, more)) {
      this.#owedTo.delete(caller);
      return true;
    }
    const wanted = more + (this.#sums.get(caller) ?? 0);
    const own = wanted > this.#mostOf(caller) ? caller : undefined;
    const found = more > this.total
      ? undefined
      : this.victim(caller, more, own);
    if (found) return found;
    this.#refused++;
    if (own === undefined && caller !== UNKNOWN) this.#owe(caller);
    return undefined;
  }

  /** An item that has to give way as all are more than the total. */
  excess(): Item | undefined {
    return this.#used > this.total ? this.victim() : undefined;
  }

  /** Whether an item has to come to rest: another caller has found no room. */
  owes(item: Item): boolean {
    return this.#creditorOf(item) !== undefined;
  }

  /** The same, of an item that rests: it is said of one item for each refusal. */
  isOwed(item: Item): boolean {
    const creditor = this.#creditorOf(item);
    return creditor !== undefined && this.#owedTo.delete(creditor);
  }

  /**
   * The item that gives way first, whether there is room or not.
   *
   * @param own The only caller with a name that may give way; undefined if all may.
   */
  victim(asking?: string, more = 0, own?: string): Item | undefined {
    const firstOf = (rest: Rest) => {
      const first = new Map<string, Item>();
      for (const item of this.#items) {
        const { caller } = item;
        const mayGive = [undefined, caller].includes(own) || caller === UNKNOWN;
        if (!mayGive || first.has(caller)) continue;
        if (item.rest?.(asking) === rest) first.set(caller, item);
      }
      const shareOf = ({ caller }: Item) =>
        (this.#sums.get(caller) ?? 0) + (caller === asking ? more : 0);
      return first.values().reduce<Item | undefined>(
        (most, item) =>
          most && (most.caller === UNKNOWN ||
              item.caller !== UNKNOWN && shareOf(most) >= shareOf(item))
            ? most
            : item,
        undefined,
      );
    };
    const found = firstOf("idle") ?? firstOf("listening");
    if (found) this.#gaveWay++;
    return found;
  }

  #owe(caller: string): void {
    const now = this.now();
    for (const [other, at] of this.#owedTo) {
      if (at <= now - ASKING_MS) this.#owedTo.delete(other);
    }
    this.#owedTo.set(caller, now);
  }

  /** The caller to which an item is owed. */
  #creditorOf({ caller }: Item): string | undefined {
    const half = Math.ceil(this.total / 2);
    const isMost = this.#used >= this.total &&
      (this.#sums.get(caller) ?? 0) > half;
    const since = this.now() - ASKING_MS;
    const [creditor] = isMost
      ? this.#owedTo.entries()
        .find(([name, at]) => name !== caller && at > since) ?? []
      : [];
    return creditor;
  }

  #makeRoom(caller: string, more: number): boolean {
    for (let found; (found = this.find(caller, more)) !== true;) {
      if (!found) return false;
      const { amount } = found;
      found.giveWay?.(caller);
      if (found.amount >= amount) this.drop(found);
    }
    return true;
  }

  #add(caller: string, more: number): void {
    this.#used += more;
    const sum = (this.#sums.get(caller) ?? 0) + more;
    if (sum > 0) this.#sums.set(caller, sum);
    else this.#sums.delete(caller);
    if (more >= 0) return;
    for (const look of this.#onRoom) look();
    this.#onRoom.clear();
  }

  #mostOf(caller: string): number {
    return this.isAskedBeside(caller) ? Math.ceil(this.total / 2) : this.total;
  }

  /** The last caller beside this one, if it still counts. */
  #otherThan(caller: string) {
    const since = this.now() - ASKING_MS;
    return this.#asked.find((one) => one.caller !== caller && one.at > since);
  }
}
