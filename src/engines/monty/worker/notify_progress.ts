import type { Json } from "../../../protocol/run_result.ts";
import type { Post } from "../../shared/backlog.ts";
import type { CallAnswer, HostCall } from "./host_call.ts";

const NAMES = ["message", "progress", "total"] as const;

/** `notify_progress(message, progress, total=None)`: tells the client, and goes on. */
export function notifyProgress(
  { args, kwargs }: HostCall,
  send: Post,
): CallAnswer {
  const given: Record<string, Json> = { ...kwargs };
  for (const [at, name] of NAMES.entries()) {
    if (at >= args.length) break;
    if (name in kwargs) return refuse(`got multiple values for "${name}"`);
    given[name] = args[at] ?? null;
  }
  const unknown = Object.keys(given).find((name) =>
    !NAMES.some((known) => known === name)
  );
  if (unknown !== undefined) return refuse(`has no argument "${unknown}"`);
  if (args.length > NAMES.length) return refuse("takes three arguments");
  const { message, progress = null, total = null } = given;
  if (typeof message !== "string") return refuse("needs message, a str");
  for (const [name, value] of Object.entries({ progress, total })) {
    if (value !== null && typeof value !== "number") {
      return refuse(`needs ${name} to be a number or None`);
    }
  }
  const told = JSON.stringify({ message, progress, total, drawn: false });
  send({ type: "notify", name: "notify_progress", arguments: told });
  return { value: "None" };
}

function refuse(reason: string): CallAnswer {
  return {
    error: { type: "TypeError", message: `notify_progress() ${reason}` },
  };
}
