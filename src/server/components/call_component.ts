import type { CallToolResult } from "../../../deps/mcp_server.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { openCodeModeRun } from "../code_mode/open_code_mode_run.ts";
import { type HostCall, HostCallError } from "../host_calls/host_call.ts";
import type { ToolCall } from "../host_calls/tool_call.ts";
import { ToolCallError } from "../host_calls/tool_call_error.ts";
import { refusal } from "../pool/pool.ts";
import type { CallContext } from "../run_for_call.ts";
import type { Shares } from "../shares.ts";

type Context =
  & Omit<CallContext, "sessions" | "files" | "logMessages">
  & Pick<Shares, "turns">;

/**
 * Calls a tool of a component for a client: as Python calls it, and in the place of a
 * run, which callers share.
 */
export async function callComponent(
  callTool: HostCall,
  call: ToolCall,
  context: Context,
): Promise<CallToolResult> {
  const { owner, mcpReq, approvals, asking, place, turns } = context;
  const signal = AbortSignal.any([
    ...[mcpReq.signal, context.ending, place.leaving],
  ]);
  const code = `${call.server}.${call.tool}(${JSON.stringify(call.arguments)})`;
  let answer: CallToolResult | undefined;
  const result = await context.runs.follow(
    { code, globals: "{}", timeoutMs: 0 },
    context.client,
    async (onEnd, _onSession, notes) => {
      const asked = { servers: [call.server], owner, approvals, asking };
      const run = { codeMode: openCodeModeRun(asked, notes) };
      await context.codeMode?.approveStarts(run.codeMode, signal);
      const turn = { caller: owner.name, amount: 1 };
      place.wait(context.waitLimit);
      const entered = turns.enter(turn, signal);
      try {
        const left = await Promise.race([place.left, entered]);
        place.endWait();
        if (left !== undefined) return refusal("busy", left);
        const since = performance.now();
        // The result of a tool has been checked.
        answer = await callTool.perform(call, {
          run,
          signal,
        }) as CallToolResult;
        const wallMs = performance.now() - since;
        onEnd({ wallMs, replaced: undefined, interpreter: "used" });
        return answer.isError ? refusal("run-error", "") : DONE;
      } catch (error) {
        if (signal.aborted) {
          return refusal("cancelled", "The call was cancelled.");
        }
        if (!(error instanceof HostCallError)) throw error;
        answer = toFailure(error.message);
        return refusal(statusOf(error), error.message);
      } finally {
        place.endWait();
        await entered.then(() => turns.drop(turn), () => {});
      }
    },
    context.id,
  );
  return answer ?? toFailure("error" in result ? result.error : result.status);
}

const DONE: RunResult = { status: "success", returnValue: null, output: [] };

function statusOf(error: HostCallError) {
  const { outcome } = error instanceof ToolCallError ? error : { outcome: "" };
  if (outcome === "failed:timeout") return "timeout";
  return outcome === "denied" || outcome === "declined"
    ? "denied"
    : "run-error";
}

function toFailure(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
