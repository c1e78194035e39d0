import type {
  EventStore,
  JSONRPCMessage,
} from "../../../../../deps/mcp_server.ts";

/** Messages that a session keeps for a client that comes back. */
const MOST_EVENTS = 1000;
const MOST_CHARS = 2 ** 24;
/** Those of all sessions. */
const MOST_CHARS_OF_ALL = 2 ** 27;

interface Event {
  stream: string;
  message: JSONRPCMessage;
  chars: number;
}

/** The logs of all sessions: the largest one gives way to others. */
export class EventLogs {
  #logs = new Set<EventLog>();
  #chars = 0;

  constructor(private mostChars: number = MOST_CHARS_OF_ALL) {}

  open(): EventLog {
    const log: EventLog = new EventLog((chars) => {
      this.#logs.add(log);
      this.#chars += chars;
      while (this.#chars > this.mostChars) this.#largest().dropOldest();
    });
    return log;
  }

  close(log: EventLog): void {
    log.close();
    this.#logs.delete(log);
  }

  #largest(): EventLog {
    return [...this.#logs].reduce((a, b) => a.chars < b.chars ? b : a);
  }
}

/** The last messages of a 2025 session, so that broken streams can be resumed. */
export class EventLog implements EventStore {
  chars = 0;
  /** By id, the oldest first. */
  #events = new Map<string, Event>();
  #last = 0;

  /** @param onChange Takes the characters that it has more, or fewer, than before. */
  constructor(private onChange: (chars: number) => void = () => {}) {}

  storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${++this.#last}`;
    const chars = JSON.stringify(message).length;
    this.#events.set(id, { stream, message, chars });
    this.#count(chars);
    while (this.#events.size > MOST_EVENTS || this.chars > MOST_CHARS) {
      this.dropOldest();
    }
    return Promise.resolve(id);
  }

  dropOldest(): void {
    const [[id, { chars }] = ["", { chars: 0 }]] = this.#events;
    this.#events.delete(id);
    this.#count(-chars);
  }

  /** Counts no more; its last call may still end. */
  close(): void {
    this.onChange(-this.chars);
    this.onChange = () => {};
  }

  #count(chars: number): void {
    this.chars += chars;
    this.onChange(chars);
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
