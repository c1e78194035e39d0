import { fields } from "../../protocol/fields.ts";
import type { HostCall } from "./host_call.ts";

type Texts = Record<string, unknown>;
type Line = {
  space: string;
  action: "save" | "delete";
  key: unknown;
  bytes?: unknown;
};

/**
 * The line of a call that has kept or deleted something, by its name, from its
 * arguments and its answer; undefined if nothing has changed.
 */
const LINES: Record<string, (args: Texts, answer: Texts) => Line | undefined> =
  {
    "save_function": ({ name: key, source }, { existed }) =>
      typeof source === "string"
        ? { space: "tools", action: "save", key, bytes: bytesOf(source) }
        : deletion("tools", key, existed),
    memory: ({ action, key }, { bytes, existed }) =>
      action === "save" && bytes !== undefined
        ? { space: "memory", action, key, bytes }
        : deletion("memory", key, existed),
    artifact: ({ action, name }, { key, bytes, existed }) =>
      action === "commit"
        ? { space: "artifacts", action: "save", key, bytes }
        : deletion("artifacts", name, existed),
  };

/** Has a host call of what outlives sessions audit what it keeps and deletes. */
export function auditKept(call: HostCall): HostCall {
  return {
    ...call,
    async perform(data, caller) {
      const answer = await call.perform(data, caller);
      const line = LINES[call.name]?.(fields(data), fields(answer));
      if (line) caller.run.codeMode?.audit("kept", line);
      return answer;
    },
  };
}

function deletion(
  space: string,
  key: unknown,
  existed: unknown,
): Line | undefined {
  return existed === true ? { space, action: "delete", key } : undefined;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
