import type { Json } from "../../protocol/run_result.ts";
import { type HostCall, hostCall } from "./host_call.ts";
import {
  parseJsonText,
  parseKey,
  parseMetadata,
  toJson,
  toPage,
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
  | { action: "load" | "info" | "delete"; key: string }
  | { action: "list"; after?: string };

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
    answer: (order, { run }) =>
      withKept(run, kept, (owner, audited) => obey(order, owner, audited)),
  });

  async function obey(
    order: Order,
    owner: string,
    kept: Kept,
  ): Promise<Json> {
    switch (order.action) {
      case "save": {
        const { key, value: text, metadata, ifRevision } = order;
        const facts = await kept.put("memory", owner, key, {
          text,
          ...(metadata === undefined ? {} : { metadata }),
          ...(ifRevision === undefined ? {} : { ifRevision }),
        });
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
      case "info": {
        const facts = await kept.info("memory", owner, order.key);
        return facts ? { found: true, facts: toJson(facts) } : { found: false };
      }
      case "delete":
        return { existed: await kept.delete("memory", owner, order.key) };
      case "list":
        return toPage(await kept.list("memory", owner), order.after, maxCall);
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
      return after === undefined || after === null
        ? { action }
        : { action, after: parseKey(after, "after") };
  }
  throw new TypeError("action must be save, load, info, delete or list");
}
