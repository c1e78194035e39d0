import { type CallToolResult, ProtocolError } from "../../deps/mcp_server.ts";
import { fields } from "../../src/protocol/fields.ts";
import type { Asking } from "../../src/server/code_mode/approvals.ts";
import { INTERNAL_ERROR } from "../../src/server/error_codes.ts";

/** A tool whose calls become tasks, by the product's code. */
export interface TaskTool {
  /** Milliseconds until its call becomes one; at once if not said. */
  afterMs?: number;
  /** Whether it is for clients with tasks alone. */
  needsTasks?: true;
  run(
    args: Record<string, unknown>,
    call: TaskCall,
  ): CallToolResult | Promise<CallToolResult>;
}

interface TaskCall {
  asking: Asking | undefined;
  signal: AbortSignal;
}

const text = (text: string): CallToolResult => ({
  content: [{ type: "text", text }],
});

/** The work of a tool: it takes its time, unless it is cancelled. */
async function work(seconds: number, signal: AbortSignal): Promise<void> {
  const done = Promise.withResolvers<void>();
  const timer = setTimeout(done.resolve, seconds * 1000);
  signal.addEventListener("abort", () => done.resolve());
  await done.promise;
  clearTimeout(timer);
}

/** Asks for a name. */
async function askName({ asking, signal }: TaskCall): Promise<string> {
  const answer = await asking?.ask({
    message: "Your name?",
    requestedSchema: {
      type: "object",
      properties: { name: { type: "string" } },
    },
  }, signal);
  return String(fields(fields(answer).content).name);
}

/** By the name that the suite calls. */
export const TASK_TOOLS: Record<string, TaskTool> = {
  "slow_compute": {
    async run({ seconds }, { signal }) {
      await work(Number(seconds), signal);
      return text(`After ${seconds} s`);
    },
  },
  "failing_job": {
    needsTasks: true,
    run: () => ({ ...text("The job fails on purpose."), isError: true }),
  },
  "protocol_error_job": {
    run() {
      throw new ProtocolError(INTERNAL_ERROR, "The job fails on purpose.");
    },
  },
  "confirm_delete": { run: async (_, call) => text(await askName(call)) },
  "multi_input": {
    async run(_, call) {
      const names = await Promise.all([askName(call), askName(call)]);
      return text(names.join(", "));
    },
  },
  "test_tool_with_task": {
    // The question comes before; then it is a task.
    afterMs: 10,
    async run(_, call) {
      const name = await askName(call);
      await work(1, call.signal);
      return text(`Hello, ${name}!`);
    },
  },
};
