import type { CodeModeRun } from "../code_mode/code_mode_run.ts";
import { DownstreamError, type Hub } from "../code_mode/hub.ts";
import { nearestNames } from "../../catalog/nearest_names.ts";
import type { ToolRules } from "../code_mode/tool_rules.ts";
import { type ApprovalTerms, approveCall } from "./approve_call.ts";
import { auditCall } from "./audit_call.ts";
import { findTool } from "./find_tool.ts";
import { type HostCall, hostCall } from "./host_call.ts";
import { OpenCalls } from "./open_calls.ts";
import { parseToolCall, quote, type ToolCall, whatOf } from "./tool_call.ts";
import { maybeToolCallError, ToolCallError } from "./tool_call_error.ts";
import { parseToolResult } from "./tool_result.ts";

export interface CallToolTerms {
  hub: Hub;
  rules: ToolRules;
  limits: ApprovalTerms & {
    /** Time for the answer of a downstream server, in milliseconds. */
    timeoutMs: number;
    /** Characters of JSON that a result may have. */
    size: number;
  };
}

/**
 * `mcp_call_tool`: calls a tool of a downstream server. Each call that code makes
 * passes here, in this order: the servers of the run, the tool, the user's rules,
 * the user's approval, the server.
 */
export function openCallTool({ hub, rules, limits }: CallToolTerms): HostCall {
  const open = new OpenCalls();
  return hostCall<ToolCall>({
    name: "mcp_call_tool",
    timesItself: true,
    parse: parseToolCall,
    async answer(call, { run: { codeMode }, signal }) {
      if (!codeMode) throw new ToolCallError("denied", "PermissionError", NONE);
      const audited = auditCall(call, codeMode);
      try {
        await checkServer(call, hub, codeMode);
        const tool = await findTool(call, { hub, rules, signal });
        checkRules(call, rules);
        await approveCall(call, tool, { limits, codeMode, signal });
        using _turn = await open.enter(codeMode, signal);
        audited.begin();
        const text = await send(call, { hub, limits, signal });
        const result = parseToolResult(text, whatOf(call));
        audited.end(result.isError ? "tool-error" : "ok", text.length);
        return result;
      } catch (error) {
        const told = maybeToolCallError(error, signal);
        audited.end(told?.outcome ?? "failed:fault");
        throw told ?? error;
      }
    },
  });
}

const NONE =
  "Cannot call a tool of a server: this run is not one of run_python.";

/** The run reaches the servers that its call names, and no other. */
async function checkServer(
  call: ToolCall,
  hub: Hub,
  { servers }: CodeModeRun,
): Promise<void> {
  const { server } = call;
  if (servers.includes(server)) return;
  const configured = (await hub.servers()).map(({ name }) => name);
  const isConfigured = configured.includes(server);
  const near = nearestNames(server, configured).map(quote).join(" or ");
  throw new ToolCallError(
    isConfigured ? "denied" : "failed:unknown",
    "PermissionError",
    `Cannot call ${whatOf(call)}: ${
      isConfigured
        ? `this call of run_python does not name that server. Call run_python with servers=[${
          [...servers, server].map(quote).join(", ")
        }].`
        : `no such server is configured. ${
          near
            ? `Did you mean ${near}?`
            : "discovered_servers() lists those that are."
        }`
    }`,
  );
}

function checkRules(call: ToolCall, rules: ToolRules): void {
  const denial = rules.maybeDenial(call.server, call.tool);
  if (denial === undefined) return;
  throw new ToolCallError(
    "denied",
    "PermissionError",
    `Cannot call ${
      whatOf(call)
    }: ${denial}. The user can start the server with other patterns.`,
  );
}

/** The result, as text; at the end of the run it is not waited for. */
async function send(
  call: ToolCall,
  { hub, limits, signal }: Pick<CallToolTerms, "hub" | "limits"> & {
    signal: AbortSignal;
  },
): Promise<string> {
  const { server, tool } = call;
  const { timeoutMs, size } = limits;
  const text = await untilAborted(
    hub.call(server, tool, JSON.stringify(call.arguments), {
      ...{ signal, timeoutMs },
    }),
    signal,
  ).catch((error) => {
    if (!(error instanceof DownstreamError) || error.kind !== "timeout") {
      throw error;
    }
    const seconds = timeoutMs / 1000;
    throw new DownstreamError(
      "timeout",
      `${error.message}. It has ${seconds} s: ask for less, or allow more with --call-timeout.`,
    );
  });
  if (text.length <= size) return text;
  throw new ToolCallError(
    "failed:size",
    "ValueError",
    `Cannot use the result of ${
      whatOf(call)
    }: it has ${text.length} characters of JSON, and may have ${size}. Ask for less.`,
  );
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    work.then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}
