import type { JSONRPCMessage } from "../../deps/mcp_client_core.ts";
import { maybe } from "../errors.ts";
import { fields, isDeeper } from "../protocol/fields.ts";
import { toExact } from "./exact_json.ts";
import { NO_RESULT, OWN_CODE, TooLarge } from "./failures.ts";
import type { Line } from "./long_lines.ts";

type Id = string | number;

interface Heard {
  /** For the client; empty if the line is noise, or answers no open request. */
  messages: JSONRPCMessage[];
  hasAnswer: boolean;
  /** Messages that answer nothing, and lines that are not messages. */
  others: number;
}

/** Levels of a message; Python's own parser of JSON ends at a thousand. */
export const MOST_LEVELS = 200;
export const OUTSIDE = -32_600;

/**
 * Reads what a downstream server writes. An answer reaches the client only if its
 * request is open; an answer that the client could not read becomes an error.
 */
export class Replies {
  #open = new Set<Id>();

  constructor(private readonly maxResult: number) {}

  /** Notes a message to the server. */
  expect(message: JSONRPCMessage): void {
    const { id, method } = fields(message);
    if (isId(id) && method !== undefined) this.#open.add(id);
  }

  /** Whether a request waits for its answer. */
  isOpen(id: Id): boolean {
    return this.#open.has(id);
  }

  read(line: Line): Heard {
    if ("whole" in line) return this.readText(line.whole);
    const id = this.#idIn(line.start, line.end);
    return id === undefined ? NOISE : this.refuse(id, line.bytes);
  }

  readText(text: string): Heard {
    const data: unknown = maybe(() => JSON.parse(toExact(text)));
    // Servers of 2025-03 may answer several requests at once.
    const all = (Array.isArray(data) ? data : [data]).map((one) =>
      this.#readMessage(one)
    );
    if (all.length === 0) return NOISE;
    return {
      messages: all.flatMap(({ messages }) => messages),
      hasAnswer: all.some(({ hasAnswer }) => hasAnswer),
      others: all.filter(({ hasAnswer }) => !hasAnswer).length,
    };
  }

  /** Answers a request whose answer is too long. */
  refuse(id: Id, bytes: number): Heard {
    return this.#answer(id, {
      error: { code: OWN_CODE.tooLarge, message: new TooLarge(bytes).message },
    });
  }

  /** Answers a request that can get no other answer any more. */
  giveUp(id: Id, message: string): Heard {
    return this.#answer(id, { error: { code: OWN_CODE.lost, message } });
  }

  #readMessage(data: unknown): Heard {
    const { jsonrpc, id, method, params, result, error } = fields(data);
    if (jsonrpc !== "2.0") return NOISE;
    if (typeof method === "string") {
      if (isDeeper(params, MOST_LEVELS)) return NOISE;
      if (id !== undefined && !isId(id)) return NOISE;
      // A request is refused whatever it asks, and may have to wait for that.
      const rest = id !== undefined
        ? { id }
        : params === undefined
        ? {}
        : { params: fields(params) };
      const message = { jsonrpc: "2.0", method, ...rest } as const;
      return { messages: [message], hasAnswer: false, others: 1 };
    }
    if (!isId(id) || !this.#open.has(id)) return NOISE;
    const { code, message } = fields(error);
    if (typeof code === "number" && typeof message === "string") {
      return this.#answer(id, { error: { code: Math.trunc(code), message } });
    }
    const isResult = typeof result === "object" && result !== null &&
      !Array.isArray(result);
    if (!isResult) {
      const error = { code: OUTSIDE, message: NO_RESULT };
      return this.#answer(id, { error });
    }
    return this.#answer(id, { result: fields(result) });
  }

  #answer(
    id: Id,
    body:
      | { result: Record<string, unknown> }
      | { error: { code: number; message: string } },
  ): Heard {
    if (!this.#open.delete(id)) return NOISE;
    const answer = { jsonrpc: "2.0", id, ...body } as const;
    return { messages: [answer], hasAnswer: true, others: 0 };
  }

  /** Servers write an answer's id first, or last. */
  #idIn(start: string, end: string): Id | undefined {
    const [, first] = /^.{0,40}"id"\s*:\s*(\d+)\s*,/.exec(start) ?? [];
    const last = [...end.matchAll(/"id"\s*:\s*(\d+)\s*[,}]/g)].at(-1)?.[1];
    const found = [first, last].flatMap((text) =>
      text !== undefined && this.#open.has(Number(text)) ? [Number(text)] : []
    );
    const [only] = this.#open.size === 1 ? this.#open : [];
    return found[0] ?? only;
  }
}

const NOISE: Heard = { messages: [], hasAnswer: false, others: 1 };

export function isId(data: unknown): data is Id {
  return typeof data === "string" || typeof data === "number";
}
