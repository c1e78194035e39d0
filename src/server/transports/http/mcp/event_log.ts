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

  constructor(private mostChars: number = MOST_CHARS_OF_ALL) {}

  open(): EventLog {
    const log = new EventLog(() => this.#makeRoom());
    this.#logs.add(log);
    return log;
  }

  /** Counts a log no more, whose last call may still end. */
  close(log: EventLog): void {
    this.#logs.delete(log);
  }

  #makeRoom(): void {
    const logs = [...this.#logs];
    let left = logs.reduce((sum, { chars }) => sum + chars, -this.mostChars);
    while (left > 0) {
      left -= logs.reduce((a, b) => a.chars < b.chars ? b : a).dropOldest();
    }
  }
}

/** The last messages of a 2025 session, so that broken streams can be resumed. */
export class EventLog implements EventStore {
  chars = 0;
  /** By id, the oldest first. */
  #events = new Map<string, Event>();
  #last = 0;

  constructor(private onStored: () => void) {}

  storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${++this.#last}`;
    const chars = JSON.stringify(message).length;
    this.#events.set(id, { stream, message, chars });
    this.chars += chars;
    while (this.#events.size > MOST_EVENTS || this.chars > MOST_CHARS) {
      this.dropOldest();
    }
    this.onStored();
    return Promise.resolve(id);
  }

  /** @returns Its characters. */
  dropOldest(): number {
    const [[id, { chars }] = ["", { chars: 0 }]] = this.#events;
    this.#events.delete(id);
    this.chars -= chars;
    return chars;
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
