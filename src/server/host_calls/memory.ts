import type { Json } from "../../protocol/run_result.ts";
import { type HostCall, hostCall } from "./host_call.ts";
import {
  type Look,
  look,
  parseJsonText,
  parseKey,
  parseList,
  parseMetadata,
  toJson,
  withKept,
} from "./kept_calls.ts";
import type { Kept } from "../keeper.ts";

/** Characters of a value's JSON; `runner/mcp_kept.py` has the same bound. */
export const MOST_VALUE = 256 * 1024;

type Order =
  | {
    action: "save";
    key: string;
    value: string;
    metadata?: string;
    ifRevision?: string;
  }
  | { action: "load"; key: string }
  | Look;

/**
 * The memory of a client: JSON values by key. Values and metadata are JSON text on
 * their way, so that no number changes.
 *
 * @param options.maxCall Characters of an answer.
 */
export function openMemory(
  kept: Kept,
  { maxCall }: { maxCall: number },
): HostCall {
  return hostCall({
    name: "memory",
    parse: parseOrder,
    answer: (order, caller) =>
      withKept(caller, kept, (owner, audited) => obey(order, owner, audited)),
  });

  async function obey(order: Order, owner: string, kept: Kept): Promise<Json> {
    switch (order.action) {
      case "save": {
        const { key, value: text, action: _, ...more } = order;
        const facts = await kept.put("memory", owner, key, { text, ...more });
        return facts ? toJson(facts) : { conflict: true };
      }
      case "load": {
        const found = await kept.get("memory", owner, order.key);
        if (!found) return { found: false };
        const { facts: { revision, metadata }, text } = found;
        return {
          found: true,
          value: text,
          revision,
          ...(metadata === undefined ? {} : { metadata }),
        };
      }
      default:
        return await look(order, { kept, space: "memory", owner, maxCall });
    }
  }
}

function parseOrder(data: unknown): Order {
  const { action, key, value, metadata, ifRevision, after } = {
    ...Object(data),
  };
  switch (action) {
    case "save": {
      const order = {
        action,
        key: parseKey(key, "key"),
        value: parseJsonText(value, "value", MOST_VALUE),
        ...parseMetadata(metadata),
      };
      if (ifRevision === undefined || ifRevision === null) return order;
      if (typeof ifRevision === "string" && ifRevision.length <= 64) {
        return { ...order, ifRevision };
      }
      throw new TypeError("ifRevision must be a revision");
    }
    case "load":
    case "info":
    case "delete":
      return { action, key: parseKey(key, "key") };
    case "list":
      return parseList(after);
  }
  throw new TypeError("action must be save, load, info, delete or list");
}
