/// <reference lib="dom" />
import { forget, keep, maybeKept } from "./kept.ts";
import type { CallOptions, Fields, McpClient } from "./mcp_client.ts";
import { fieldsOf } from "./mcp_client.ts";
import { toUsual } from "./usual_answer.ts";

/** The tool of code mode, which takes the place of the usual one. */
const CODE_MODE = "run_python";
/** The session of code mode, which has one without being asked. */
const KEPT_AS = "code-mode-session";

/** Runs code by the tool that the server offers. */
export class CodeRunner {
  isCodeMode = false;

  constructor(private mcp: Pick<McpClient, "call">) {}

  /** @param tools Of the server. */
  open(tools: readonly Fields[]): void {
    this.isCodeMode = tools.some(({ name }) => name === CODE_MODE);
  }

  /** Has the next run open a session. */
  forget(): void {
    keep(KEPT_AS, "new");
  }

  /** Gives an answer of the form of `run_python_code`'s. */
  async run(
    code: string,
    args: { files: readonly unknown[]; session: string | undefined },
    options: CallOptions,
  ): Promise<Fields> {
    if (!this.isCodeMode) {
      // JSON leaves out a session that is undefined.
      const all = { ["python_code"]: code, ...args };
      return this.mcp.call("run_python_code", all, options);
    }
    if (args.files.length > 0) {
      throw new Error("In code mode a run takes no files: remove them.");
    }
    const call = { code, session: maybeKept(KEPT_AS) };
    const answer = await this.mcp.call(CODE_MODE, call, options);
    const { session: kept } = fieldsOf(answer.structuredContent);
    // Without one, the next run opens another.
    if (kept === undefined) forget(KEPT_AS);
    else keep(KEPT_AS, String(kept));
    return toUsual(answer);
  }
}
