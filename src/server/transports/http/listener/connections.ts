/** Requests of a connection that wait for their answers, which come in order. */
const MOST_WAITING = 100;

/** The part of a socket of Node that counts here. */
interface Peer {
  remoteAddress?: string | undefined;
  remotePort?: number | undefined;
  destroy(): unknown;
  once(event: "close", act: () => void): unknown;
}

interface Connection {
  socket: Peer;
  /** Requests under way. */
  requests: number;
}

/** The connections of clients: one that is idle makes room for another. */
export class Connections {
  /** By the client's address, the longest idle one first. */
  #open = new Map<string, Connection>();

  constructor(private most: number) {}

  /**
   * Takes a new connection. If all places are taken, the longest idle one ends; or
   * the new one, if all are in use.
   */
  add(socket: Peer): void {
    const key = toKey(socket);
    if (this.#open.size >= this.most) {
      const [oldest, idle] = this.#open.entries()
        .find(([, { requests }]) => requests === 0) ?? [];
      if (oldest === undefined) return void socket.destroy();
      this.#open.delete(oldest);
      idle?.socket.destroy();
    }
    const connection = { socket, requests: 0 };
    this.#open.set(key, connection);
    socket.once("close", () => {
      if (this.#open.get(key) === connection) this.#open.delete(key);
    });
  }

  /**
   * Notes a request of a connection, which has TLS around it, maybe.
   *
   * @returns Notes its end; undefined if too many requests wait.
   */
  begin(socket: Peer): (() => void) | undefined {
    const key = toKey(socket);
    const connection = this.#open.get(key);
    if (!connection || connection.requests >= MOST_WAITING) return undefined;
    connection.requests++;
    return () => {
      connection.requests--;
      if (this.#open.get(key) !== connection) return;
      this.#open.delete(key);
      this.#open.set(key, connection);
    };
  }
}

function toKey({ remoteAddress, remotePort }: Peer): string {
  return `${remoteAddress} ${remotePort}`;
}
