import type {
  EventStore,
  JSONRPCMessage,
} from "../../../../../deps/mcp_server.ts";
import type { Item, Rest, Share } from "../../../../shares.ts";

/** Messages that a session keeps for a client that comes back, and their characters. */
const MOST_EVENTS = 1000;
const MOST_CHARS = 2 ** 24;

interface Event {
  stream: string;
  message: JSONRPCMessage;
  chars: number;
}

/** The last messages of a 2025 session, so that broken streams can be resumed. */
export class EventLog implements EventStore, Item {
  /** Characters. */
  amount = 0;
  /** By id, the oldest first. */
  #events = new Map<string, Event>();
  #last = 0;

  constructor(readonly caller: string, private share: Share) {
    share.hold(this);
  }

  storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${++this.#last}`;
    const chars = JSON.stringify(message).length;
    while (
      this.#events.size >= MOST_EVENTS ||
      this.#events.size > 0 && this.amount + chars > MOST_CHARS
    ) this.giveWay();
    this.share.touch(this);
    const isKept = chars <= MOST_CHARS &&
      this.share.resize(this, this.amount + chars);
    if (isKept) this.#events.set(id, { stream, message, chars });
    return Promise.resolve(id);
  }

  rest(): Rest {
    return this.amount > 0 ? "idle" : "used";
  }

  /** Drops the oldest message. */
  giveWay(): void {
    const [[id, { chars }] = ["", { chars: 0 }]] = this.#events;
    this.#events.delete(id);
    this.share.measure(this, this.amount - chars);
  }

  /** Counts it no more, though its last call may still end. */
  close(): void {
    this.share.drop(this);
  }

  getStreamIdForEventId(id: string): Promise<string | undefined> {
    return Promise.resolve(this.#events.get(id)?.stream);
  }

  async replayEventsAfter(
    lastId: string,
    { send }: Parameters<EventStore["replayEventsAfter"]>[1],
  ): Promise<string> {
    const stream = this.#events.get(lastId)?.stream ?? "";
    const later = [...this.#events].filter(([id, event]) =>
      event.stream === stream && Number(id) > Number(lastId)
    );
    for (const [id, { message }] of later) {
      // Events that only open a stream have no message.
      if ("jsonrpc" in message) await send(id, message);
    }
    return stream;
  }
}
