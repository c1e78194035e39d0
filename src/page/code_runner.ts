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
    args: { files: readonly unknown[]; session?: string },
    options: CallOptions,
  ): Promise<Fields> {
    this.#isCodeMode ??= await this.mcp.hasTool(CODE_MODE);
    if (!this.#isCodeMode) {
      const all = { ["python_code"]: code, ...args };
      return this.mcp.call("run_python_code", all, options);
    }
    if (args.files.length > 0) {
      throw new Error("In code mode a run takes no files: remove them.");
    }
    // JSON leaves out a session that is undefined.
    const call = { code, session: this.#session };
    const answer = await this.mcp.call(CODE_MODE, call, options);
    const result = fieldsOf(answer.structuredContent);
    this.#session = result.session;
    return { ...answer, structuredContent: toUsual(result) };
  }
}

function toUsual({ stdout, stderr, error, ...rest }: Fields): Fields {
  const [printed, told] = [toLines(stdout), toLines(stderr)];
  return rest.status === "success"
    ? { ...rest, output: [...printed, ...told] }
    : {
      ...rest,
      output: printed,
      error: [...told, ...toLines(error)].join("\n"),
    };
}

function toLines(data: unknown): string[] {
  return data === undefined ? [] : [data].flat().map(String);
}
