import {
  DENIED,
  type Denied,
  type GuestGrants,
} from "../grants/guest_grants.ts";
import { denialRemedy } from "../grants/policy_file/denial.ts";
import type {
  AskMethod,
  FromBridge,
  ToBridge,
} from "../protocol/bridge_messages.ts";
import type { ToolAnnotations } from "../protocol/downstream.ts";
import type { Wit } from "../wit/types.ts";
import type { Invocation, Outcome } from "./worker_messages.ts";

/** A component, as its process knows it. */
export interface Guest {
  list(): Promise<Omit<FromBridge & { type: "tools" }, "type" | "id">>;
  /** Gives a whole result in MCP. */
  call(tool: string, args: string, owner: string): Promise<object>;
  /** @throws {Refused} If it has no answer. */
  ask(method: AskMethod, params: string, owner: string): Promise<object>;
  notify?(said: ToBridge & { type: "notify" }): Promise<void>;
}

/** A call of a function, and how it ended. */
export interface Called {
  outcome: Outcome;
  denied: Denied[];
  printed: string;
}

export interface GuestParts {
  wit: Wit;
  grants: GuestGrants;
  /** Of its entry. */
  name: string;
  /**
   * @param how.instance Names the instance that answers, and lives on; without it the
   *   call has a fresh one.
   */
  invoke(
    call: Invocation,
    how: { instance?: string; first?: Invocation[] },
  ): Promise<Called>;
}

/** Hints about its tools: a component can change nothing but what its policy grants. */
export function annotationsOf({ hosts, paths }: GuestGrants): ToolAnnotations {
  const changes = paths.some(({ access }) => access.includes("write"));
  const isOpen = hosts.length > 0;
  return {
    readOnlyHint: !changes && !isOpen,
    destructiveHint: changes,
    openWorldHint: isOpen,
  };
}

/** A result in MCP for a call that did not give a value. */
export function toFailure(
  { outcome, denied, printed }: Called,
  more: object = {},
): object {
  const words = printed.trim();
  const text = outcome.kind === "trap" && words !== ""
    ? `${outcome.text}. It printed: ${words}`
    : outcome.text;
  return withDenied(denied, {
    content: [{ type: "text", text }],
    isError: true,
    ...more,
  });
}

/** Tells what was denied in a call, and which line of the policy would grant it. */
export function withDenied(
  denied: readonly Denied[],
  result: { content: object[]; [key: string]: unknown },
): object {
  if (denied.length === 0) return result;
  const lines = denied.map((one) =>
    `Denied: ${toWords(one)}. ${denialRemedy(one)}.`
  );
  const note = { type: "text", text: lines.join("\n") };
  return {
    ...result,
    content: [...result.content, note],
    _meta: { [DENIED]: denied },
  };
}

function toWords(denied: Denied): string {
  switch (denied.kind) {
    case "net":
      return `to reach "${denied.host}"`;
    case "env":
      return `the variable "${denied.name}"`;
    default:
      return `to ${denied.kind} "${denied.path}"`;
  }
}
