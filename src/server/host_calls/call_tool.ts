import { untilAborted } from "../../deadline.ts";
import type { CodeModeRun } from "../code_mode/code_mode_run.ts";
import { DownstreamError, type Hub, ToolsChanged } from "../code_mode/hub.ts";
import { maybeMeant, nameTools, quote } from "../code_mode/find_downstream.ts";
import type {
  DownstreamTool,
  ListedServer,
} from "../../protocol/downstream.ts";
import type { ToolRules } from "../code_mode/tool_rules.ts";
import { type ApprovalTerms, approveCall } from "./approve_call.ts";
import { askGrants } from "./ask_grants.ts";
import { type HostCall, hostCall } from "./host_call.ts";
import {
  hashOfJson,
  parseToolCall,
  parseToolResult,
  type ToolCall,
  whatOf,
} from "./tool_call.ts";
import {
  type CallOutcome,
  maybeToolCallError,
  ToolCallError,
} from "./tool_call_error.ts";
import { Semaphore } from "../../semaphore.ts";

export interface CallToolTerms {
  hub: Hub;
  rules: ToolRules;
  limits: ApprovalTerms & {
    /** Time for the answer of a downstream server, in milliseconds. */
    timeoutMs: number;
    /** Characters of JSON that a result may have. */
    size: number;
    /** Whether the user is asked for what a component was denied. */
    asksGrants?: boolean;
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
        let approved: string | undefined;
        let called: ListedServer | undefined;
        const tryOnce = async () => {
          const { tool, tools } = await findTool(call, { hub, rules, signal });
          checkRules(call, rules);
          const terms = { hub, limits, codeMode, signal, approved };
          approved = await approveCall(call, tool, terms);
          using _turn = await open.enter(codeMode, signal);
          audited.begin();
          const caller = codeMode.owner;
          const isCalled = ({ name }: ListedServer) => name === call.server;
          called = hub.known()?.find(isCalled);
          return await send(call, { hub, limits, signal, tools, caller });
        };
        const text = await withFreshTools(tryOnce);
        const result = parseToolResult(text, whatOf(call));
        audited.end(result.isError ? "tool-error" : "ok", text.length);
        const { approvalMs, asksGrants } = limits;
        const terms = { hub, codeMode, approvalMs, signal };
        const told = asksGrants && called &&
          await askGrants(called, result, terms);
        if (!told) return result;
        const note = { type: "text", text: told };
        return { ...result, content: [...result.content, note] };
      } catch (error) {
        const told = maybeToolCallError(error, signal);
        audited.end(told?.outcome ?? "failed:fault");
        throw told ?? error;
      }
    },
  });
}

/** A server may live anew while its user is asked, or the call waits for its turn. */
async function withFreshTools<T>(tryOnce: () => Promise<T>): Promise<T> {
  for (let left = MOST_TRIES;; left--) {
    try {
      return await tryOnce();
    } catch (error) {
      if (!(error instanceof ToolsChanged)) throw error;
      if (left === 0) throw new DownstreamError("protocol", error.message);
    }
  }
}

const MOST_TRIES = 3;

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
  const wanted = [...servers, server].map(quote).join(", ");
  const why = isConfigured
    ? `this call of run_python does not name that server. Call run_python with servers=[${wanted}].`
    : `no such server is configured. ${
      maybeMeant(server, configured) ||
      "discovered_servers() lists those that are."
    }`;
  const outcome = isConfigured ? "denied" : "failed:unknown";
  const message = `Cannot call ${whatOf(call)}: ${why}`;
  throw new ToolCallError(outcome, "PermissionError", message);
}

/** Lists of tools that the rules have been compared with. */
const noted = new WeakSet<readonly DownstreamTool[]>();

/** The tool that a call names; it may be of those that code may not call. */
async function findTool(
  call: ToolCall,
  { hub, rules, signal }: Pick<CallToolTerms, "hub" | "rules"> & {
    signal: AbortSignal;
  },
): Promise<{ tool: DownstreamTool; tools: readonly DownstreamTool[] }> {
  const { server } = call;
  const tools = await hub.currentTools(server, signal);
  if (!noted.has(tools)) {
    noted.add(tools);
    const servers = await hub.servers();
    rules.note(servers.map(({ name }) => name), (one) => hub.knownTools(one));
  }
  const tool = tools.find(({ name }) => name === call.tool);
  if (tool) return { tool, tools };
  const named = nameTools(server, tools, (...name) => rules.mayCall(...name));
  const names = named.map(({ tool }) => tool.name);
  const aliased = named.find(({ alias }) => alias === call.tool);
  throw new ToolCallError(
    "failed:unknown",
    "ValueError",
    `Cannot call ${whatOf(call)}: it has no such tool. ${
      aliased
        ? `Did you mean ${quote(aliased.tool.name)}?`
        : maybeMeant(call.tool, names) ||
          `list_tools() lists its ${names.length} tools.`
    }`,
  );
}

function checkRules(call: ToolCall, rules: ToolRules): void {
  const denial = rules.maybeDenial(call.server, call.tool);
  if (denial === undefined) return;
  const why = `${denial}. The user can start the server with other patterns`;
  const message = `Cannot call ${whatOf(call)}: ${why}.`;
  throw new ToolCallError("denied", "PermissionError", message);
}

/** The result, as text; at the end of the run it is not waited for. */
async function send(
  call: ToolCall,
  { hub, limits, signal, tools, caller }:
    & Pick<CallToolTerms, "hub" | "limits">
    & {
      signal: AbortSignal;
      tools: readonly DownstreamTool[];
      caller: string;
    },
): Promise<string> {
  const { server, tool } = call;
  const { timeoutMs, size } = limits;
  const args = JSON.stringify(call.arguments);
  const options = { signal, timeoutMs, tools, caller };
  const answer = hub.call(server, tool, args, options);
  const text = await untilAborted(answer, signal).catch((error) => {
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

/** A line of the audit for a call, at its end: its arguments are a hash there. */
function auditCall(
  { server, tool, arguments: args }: ToolCall,
  { audit }: CodeModeRun,
): {
  /** Notes that the call goes to its server now. */
  begin(): void;
  /** @param chars Characters of its result. */
  end(outcome: CallOutcome, chars?: number): void;
} {
  let since: number | undefined;
  return {
    begin: () => void (since = performance.now()),
    end(outcome, chars) {
      const ms = since === undefined ? 0 : performance.now() - since;
      audit("call", {
        server,
        tool,
        outcome,
        arguments_sha256: hashOfJson(args),
        ms: Math.round(ms),
        result_chars: chars,
      });
    },
  };
}

/** Calls that a run may have under way; the hub bounds those to a server. */
export const MOST_OPEN = 16;

/** The calls that runs have under way to downstream servers. */
class OpenCalls {
  #runs = new WeakMap<CodeModeRun, Semaphore>();

  /** Waits for a turn of the run, which ends when the returned value is disposed. */
  async enter(run: CodeModeRun, signal: AbortSignal): Promise<Disposable> {
    const turns = this.#runs.get(run) ?? new Semaphore(MOST_OPEN);
    this.#runs.set(run, turns);
    return await turns.take(signal);
  }
}
