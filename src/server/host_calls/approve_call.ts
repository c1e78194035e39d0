import type { DownstreamTool } from "../../protocol/downstream.ts";
import type { Settings } from "../../settings.ts";
import type { Approval, CodeModeRun } from "../code_mode/code_mode_run.ts";
import type { Hub } from "../code_mode/hub.ts";
import { type ToolCall, whatOf } from "./tool_call.ts";
import { ToolCallError } from "./tool_call_error.ts";

export interface ApprovalTerms {
  /** Tools that the user is asked about. */
  approve: Settings["approve"];
  /** Time for the answer of the user, in milliseconds. */
  approvalMs: number;
}

/**
 * Has the user approve a call, if that is needed.
 *
 * @param terms.approved The revision of the server for which the call is approved.
 * @returns The same; undefined if there was no need.
 * @throws {ToolCallError} If it is not approved.
 */
export async function approveCall(
  call: ToolCall,
  tool: DownstreamTool,
  { hub, limits, codeMode, signal, approved }: {
    hub: Pick<Hub, "servers">;
    limits: ApprovalTerms;
    codeMode: CodeModeRun;
    signal: AbortSignal;
    approved: string | undefined;
  },
): Promise<string | undefined> {
  if (!needsApproval(tool, limits)) return approved;
  const servers = await hub.servers();
  const { revision = "" } = servers.find(({ name }) => name === call.server) ??
    {};
  if (revision === approved) return approved;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), limits.approvalMs);
  const question = {
    ...{ ...call, revision },
    arguments: JSON.stringify(call.arguments),
  };
  try {
    const wanted = AbortSignal.any([signal, late.signal]);
    const approval = await codeMode.approve(question, wanted);
    if (approval !== "accepted") throw refuse(call, limits, REASONS[approval]);
    return revision;
  } catch (error) {
    if (signal.aborted || !late.signal.aborted) throw error;
    const why = `the user has not answered within ${
      limits.approvalMs / 1000
    } s`;
    throw refuse(call, limits, why, "TimeoutError");
  } finally {
    clearTimeout(timer);
  }
}

function needsApproval(
  { annotations }: DownstreamTool,
  { approve }: ApprovalTerms,
): boolean {
  switch (approve) {
    case "all":
      return true;
    case "destructive":
    case "grants":
      return annotations?.destructiveHint === true;
    case "none":
      return false;
  }
}

const REASONS: Record<Exclude<Approval, "accepted">, string> = {
  declined: "the user, or the client, has not approved it. Do not try it again",
  unable:
    "it needs the user's approval, and this client cannot ask for that (MCP elicitation). The user can start the server with --approve none, or call the tool elsewhere",
};

function refuse(
  call: ToolCall,
  { approve }: ApprovalTerms,
  reason: string,
  kind: "PermissionError" | "TimeoutError" = "PermissionError",
): ToolCallError {
  const why = approve === "all"
    ? "calls need approval here (--approve all)"
    : `it is said to be destructive (--approve ${approve})`;
  const message = `Cannot call ${whatOf(call)}, as ${why}: ${reason}.`;
  return new ToolCallError("declined", kind, message);
}
