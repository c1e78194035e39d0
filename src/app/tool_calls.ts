/// <reference lib="dom" />
import { type Fields, fieldsOf, listOf } from "../page/mcp_client.ts";
import { GET_RUN, OUTPUT_FROM, OUTPUT_NEXT } from "../protocol/long_runs.ts";
import { WHOLE_VALUES } from "../protocol/whole_values.ts";
import type { Host } from "./host.ts";

/** Seconds that an answer may wait for more of a run. */
const WAIT = 2;

/** The calls of a run's tool: that of the model, and those of its user. */
export class ToolCalls {
  #args: Fields = {};
  /** Of the run under way, for which the chat's answer has not waited. */
  #handle = "";

  constructor(
    private host: Pick<Host, "call" | "can" | "context" | "tell">,
  ) {}

  takeArguments(args: Fields): void {
    this.#args = args;
  }

  /** Whether the call has these arguments, or none that are known. */
  isOf(args: Fields): boolean {
    const [own, given] = [this.#args, args].map((one) => JSON.stringify(one));
    return own === "{}" || own === given;
  }

  get code(): string {
    return String(this.#args[this.#key] ?? "");
  }

  /** The next run goes on where this has ended, and opens no other session. */
  takeSession(handle: unknown): void {
    if (this.#args.session === "new" && typeof handle === "string") {
      this.#args = { ...this.#args, session: handle };
    }
  }

  /** Runs code with the other arguments of the model's call. */
  run(code: string): Promise<Fields> {
    this.#args = { ...this.#args, [this.#key]: code };
    const { name, inputSchema } = fieldsOf(this.host.context.toolInfo?.tool);
    const own = this.#key === "code" ? "run_python" : "run_python_code";
    const { wait } = fieldsOf(fieldsOf(inputSchema).properties);
    const waiting = wait === undefined ? {} : { wait: WAIT };
    const args = { ...this.#args, ...waiting };
    return this.host.call(`${name ?? own}`, args, WHOLE_VALUES);
  }

  /**
   * Waits for a run under way, if the chat calls tools; gives the last answer.
   *
   * @param isShown Whether a user still sees this run.
   */
  async follow(
    answer: Fields,
    { isShown, onLines }: {
      isShown(): boolean;
      onLines(lines: string[]): void;
    },
  ): Promise<Fields> {
    let last = answer;
    let from = 0;
    for (let run; (run = maybeRun(last)) !== undefined;) {
      if (!isShown() || !this.host.can.call) break;
      this.#handle = run;
      const lines = linesOf(last);
      onLines(lines);
      const told = fieldsOf(last._meta)[OUTPUT_NEXT];
      from = typeof told === "number"
        ? told
        : from + lines.reduce((sum, line) => sum + line.length + 1, 0);
      last = await this.host.call(GET_RUN, { run, wait: WAIT }, {
        [OUTPUT_FROM]: from,
      });
    }
    // That of a later run stays.
    if (isShown()) this.#handle = "";
    return last;
  }

  /** Ends the run under way; the answer that is waited for says so. */
  async cancel(): Promise<void> {
    const run = this.#handle;
    if (run) await this.host.call(GET_RUN, { run, cancel: true });
  }

  /** Has the model know what its user has run, if the chat takes that. */
  async tell(answer: Fields): Promise<void> {
    if (!this.host.can.tell) return;
    const [{ text } = {}] = listOf(answer.content);
    await this.host.tell(
      `The user ran this code:\n${this.code}\n\nIt gave:\n${text ?? ""}`,
    );
  }

  /** The argument that has the code: code mode's is another. */
  get #key(): "code" | "python_code" {
    return this.#args.code === undefined ? "python_code" : "code";
  }
}

/** The handle of a run under way, in its answer. */
function maybeRun(answer: Fields): string | undefined {
  const { status, run } = fieldsOf(answer.structuredContent);
  return status === "running" && typeof run === "string" ? run : undefined;
}

/** The lines that an answer has of a run under way. */
function linesOf(answer: Fields): string[] {
  const { output } = fieldsOf(answer.structuredContent);
  return Array.isArray(output) ? output.map(String) : [];
}
