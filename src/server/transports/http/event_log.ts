import type {
  EventStore,
  JSONRPCMessage,
} from "../../../../deps/mcp_server.ts";

/** Messages that a session keeps for a client that comes back. */
const MOST_EVENTS = 1000;
const MOST_CHARS = 2 ** 24;
/** Characters of the messages that all sessions keep. */
const MOST_CHARS_OF_ALL = 2 ** 27;

interface Event {
  stream: string;
  message: JSONRPCMessage;
  chars: number;
}

/** Bounds what sessions keep together: those that were quiet lose theirs first. */
export class EventLogs {
  /** Those that keep messages, the least recently used one first. */
  #used = new Set<EventLog>();
  #chars = 0;

  constructor(private mostChars: number = MOST_CHARS_OF_ALL) {}

  grow(log: EventLog, chars: number): void {
    this.#chars += chars;
    this.#used.delete(log);
    this.#used.add(log);
    for (const other of this.#used) {
      if (this.#chars <= this.mostChars || other === log) break;
      other.clear();
    }
  }

  /** @param chars Characters that the log kept. */
  forget(log: EventLog, chars: number): void {
    this.#chars -= chars;
    this.#used.delete(log);
  }
}

/** The last messages of a 2025 session, so that broken streams can be resumed. */
export class EventLog implements EventStore {
  /** By id, the oldest first. */
  #events = new Map<string, Event>();
  #chars = 0;
  #last = 0;

  constructor(private all: EventLogs = new EventLogs()) {}

  clear(): void {
    this.#events.clear();
    this.all.forget(this, this.#chars);
    this.#chars = 0;
  }

  storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${++this.#last}`;
    const chars = JSON.stringify(message).length;
    this.#events.set(id, { stream, message, chars });
    const before = this.#chars;
    this.#chars += chars;
    for (const [id, { chars }] of this.#events) {
      if (this.#events.size <= MOST_EVENTS && this.#chars <= MOST_CHARS) break;
      this.#events.delete(id);
      this.#chars -= chars;
    }
    this.all.grow(this, this.#chars - before);
    return Promise.resolve(id);
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
