import type { Post } from "../../shared/backlog.ts";
import { bindArguments, mustBe } from "./call_arguments.ts";
import { type CallAnswer, type HostCall, toFailed } from "./host_call.ts";

const NAMES = ["message", "progress", "total"] as const;

/** `notify_progress(message, progress=None, total=None)`: tells the client, and goes on. */
export function notifyProgress(call: HostCall, send: Post): CallAnswer {
  try {
    send({
      ...{ type: "notify", name: "notify_progress" },
      arguments: toTold(call),
    });
    return { value: "None" };
  } catch (error) {
    return toFailed(error);
  }
}

function toTold(call: HostCall): string {
  const { message, progress = null, total = null } = bindArguments(call, NAMES);
  if (typeof message !== "string") {
    throw mustBe(call, "argument 'message'", "str", message);
  }
  for (const [name, value] of Object.entries({ progress, total })) {
    if (value !== null && typeof value !== "number") {
      throw mustBe(call, `argument '${name}'`, "int or float", value);
    }
  }
  return JSON.stringify({ message, progress, total, drawn: false });
}
