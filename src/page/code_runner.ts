/// <reference lib="dom" />
import type { CallOptions, Fields, McpClient } from "./mcp_client.ts";
import { fieldsOf } from "./mcp_client.ts";

/** The tool of code mode, which takes the place of the usual one. */
const CODE_MODE = "run_python";

/** Runs code by the tool that the server offers. */
export class CodeRunner {
  #isCodeMode: boolean | undefined;
  /** Of code mode, which has a session without being asked. */
  #session: unknown;

  constructor(private mcp: Pick<McpClient, "call" | "hasTool">) {}

  /** Gives an answer of the form of `run_python_code`'s. */
  async run(
    code: string,
    args: { files: readonly unknown[]; session: string | undefined },
    options: CallOptions,
  ): Promise<Fields> {
    this.#isCodeMode ??= await this.mcp.hasTool(CODE_MODE);
    if (!this.#isCodeMode) {
      // JSON leaves out a session that is undefined.
      const all = { ["python_code"]: code, ...args };
      return this.mcp.call("run_python_code", all, options);
    }
    if (args.files.length > 0) {
      throw new Error("In code mode a run takes no files: remove them.");
    }
    const call = { code, session: this.#session };
    const answer = await this.mcp.call(CODE_MODE, call, options);
    const { stdout = [], stderr = [], error, ...result } = fieldsOf(
      answer.structuredContent,
    );
    this.#session = result.session;
    const isGood = result.status === "success";
    const usual = isGood
      ? { ...result, output: [stdout, stderr].flat() }
      : { ...result, output: stdout, error: [stderr, error].flat().join("\n") };
    return { ...answer, structuredContent: usual };
  }
}
