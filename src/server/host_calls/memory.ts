import type { HostCall } from "./host_call.ts";
import {
  keptCall,
  looks,
  parseJsonText,
  parseKey,
  parseMetadata,
  toJson,
} from "./kept_calls.ts";
import type { Kept } from "../keeper.ts";

/** Characters of a value's JSON; `runner/mcp_kept.py` has the same bound. */
export const MOST_VALUE = 256 * 1024;

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
  const readKey = ({ key }: Record<string, unknown>) => parseKey(key, "key");
  return keptCall("memory", kept, {
    save(order) {
      const key = readKey(order);
      const value = {
        text: parseJsonText(order.value, "value", MOST_VALUE),
        ...parseMetadata(order.metadata),
        ...parseRevision(order.ifRevision),
      };
      return async (owner, kept) => {
        const facts = await kept.put("memory", owner, key, value);
        return facts ? toJson(facts) : { conflict: true };
      };
    },
    load(order) {
      const key = readKey(order);
      return async (owner, kept) => {
        const found = await kept.get("memory", owner, key);
        if (!found) return { found: false };
        const { facts: { revision, metadata }, text } = found;
        return {
          ...{ found: true, value: text, revision },
          ...(metadata === undefined ? {} : { metadata }),
        };
      };
    },
    ...looks("memory", readKey, maxCall),
  });
}

function parseRevision(data: unknown): { ifRevision?: string } {
  if (data === undefined || data === null) return {};
  if (typeof data === "string" && data.length <= 64) {
    return { ifRevision: data };
  }
  throw new TypeError("ifRevision must be a revision");
}
