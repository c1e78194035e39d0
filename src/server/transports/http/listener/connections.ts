import {
  type Item,
  type Rest,
  type Share,
  UNKNOWN,
} from "../../../../shares.ts";
import type { Exchange } from "./exchange.ts";

/**
 * Requests of a connection that wait for their turns: each head takes up to 16 KiB,
 * and no client of MCP sends a request before it has the answer to the last one.
 */
const MOST_WAITING = 10;

/** Time for the first request of a new connection, before it counts as idle. */
const FIRST_MS = 2000;
/**
 * Time for the next request of a caller: that which is sent as its connection ends is
 * lost, and clients do not send it again.
 */
const NEXT_MS = 10_000;

/** The part of a socket of Node that counts here. */
interface Peer {
  remoteAddress?: string | undefined;
  remotePort?: number | undefined;
  destroy(): unknown;
  once(event: "close", act: () => void): unknown;
}

/** A connection of a client, which a request with a good credential names. */
export class Connection implements Item {
  caller: string = UNKNOWN;
  amount = 1;
  /** Until when a request may be about to come. */
  #mayComeUntil: number;
  /** Its requests under way. */
  #exchanges = new Set<Exchange>();

  constructor(
    private socket: Pick<Peer, "destroy">,
    private share: Share,
    private now: () => number,
  ) {
    this.#mayComeUntil = now() + FIRST_MS;
  }

  /**
   * Adds a request; undefined if too many wait.
   *
   * @returns Resolves as its turn comes: answers go out in order, so that one that is
   * made before would only take memory.
   */
  begin(exchange: Exchange): Promise<void> | undefined {
    if (this.#exchanges.size >= MOST_WAITING) return undefined;
    const before = [...this.#exchanges].at(-1)?.ended ?? Promise.resolve();
    this.#exchanges.add(exchange);
    this.#mayComeUntil = 0;
    void exchange.ended.then(() => {
      this.#exchanges.delete(exchange);
      if (this.caller !== UNKNOWN) this.#mayComeUntil = this.now() + NEXT_MS;
      this.share.touch(this);
    });
    return before;
  }

  /** Counts it for a caller; false if that has as many as it may. */
  belongTo(caller: string): boolean {
    return this.share.move(this, caller);
  }

  rest(asking?: string): Rest {
    const rests = [...this.#exchanges].map((one) => one.rest(asking));
    if (rests.includes("used")) return "used";
    const mayCome = this.now() < this.#mayComeUntil;
    return mayCome || rests.includes("listening") ? "listening" : "idle";
  }

  giveWay(): void {
    this.socket.destroy();
  }

  /** Answers that wait behind another are not told of the end. */
  close(): void {
    this.share.drop(this);
    for (const exchange of this.#exchanges) exchange.end();
  }
}

/** The connections of clients, which make room for others. */
export class Connections {
  /** By the client's address. */
  #open = new Map<string, Connection>();

  constructor(
    private share: Share,
    private now: () => number = () => performance.now(),
  ) {}

  /** Takes a new connection, or ends it if there is no room. */
  add(socket: Peer): void {
    const connection = new Connection(socket, this.share, this.now);
    if (!this.share.take(connection)) return void socket.destroy();
    const key = toKey(socket);
    this.#open.set(key, connection);
    socket.once("close", () => {
      connection.close();
      if (this.#open.get(key) === connection) this.#open.delete(key);
    });
  }

  /** The connection of a socket, which has TLS around it, maybe. */
  find(socket: Peer): Connection | undefined {
    return this.#open.get(toKey(socket));
  }
}

function toKey({ remoteAddress, remotePort }: Peer): string {
  return `${remoteAddress} ${remotePort}`;
}
