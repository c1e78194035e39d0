import { hashOfJson } from "../code_mode/canonical_json.ts";
import type { CodeModeRun } from "../code_mode/code_mode_run.ts";
import type { ToolCall } from "./tool_call.ts";
import type { CallOutcome } from "./tool_call_error.ts";

/** A line of the audit for a call, at its end: its arguments are a hash there. */
export function auditCall(
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
        ...{ server, tool, outcome },
        arguments_sha256: hashOfJson(args),
        ...{ ms: Math.round(ms), result_chars: chars },
      });
    },
  };
}
