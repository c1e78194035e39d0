import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import process from "node:process";
import type { Readable } from "node:stream";
import { findDeno } from "./deno_path.ts";
import { findCli } from "./find_cli.ts";
import type { CommandLine } from "./options.ts";
import { SandboxError } from "./sandbox_error.ts";

/** Lines of stderr for the error of a program that ends. */
const LAST_LINES = 50;

/** Takes lines of the log. */
export type OnLog = (line: string) => void;

/** Arguments of Deno that start the command line with these arguments. */
export async function toDenoArguments(
  args: readonly string[],
): Promise<string[]> {
  return ["run", "-A", await findCli(), ...args];
}

/** @throws {SandboxError} In a Node that is too old for the library; the command runs in it. */
export function checkNode(): void {
  if ("withResolvers" in Promise) return;
  throw new SandboxError(
    `The library needs Node 22 or newer, and this is ${process.version}. The command mcp-run-python needs Node 20.`,
  );
}

/** A process of the command that ends with its standard input, so with this program. */
export class Program {
  readonly logs: Set<OnLog> = new Set();
  /** Resolves with its last words. */
  readonly ended: Promise<SandboxError>;
  #child: ChildProcessWithoutNullStreams;

  /** @param take Takes each line of stdout. */
  constructor({ args, variables }: CommandLine, take: (line: string) => void) {
    const child = this.#child = spawn(findDeno(), args, {
      env: { ...process.env, ...variables, NO_COLOR: "1" },
    });
    onLines(child.stdout, take);
    const words = readLog(child, this.logs);
    // The end of the process reports failed writes.
    child.stdin.on("error", () => {});
    this.ended = new Promise((resolve) => {
      const end = (reason: string) => resolve(new SandboxError(reason));
      child.on("error", (error) => end(`Cannot start Deno: ${error.message}`));
      child.on("close", (code) => end(words(code)));
    });
  }

  write(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /**
   * Ends the process and all that it has started, and waits for it.
   *
   * @param endMs Time to end by itself; if absent, it takes the time it needs.
   */
  async close(endMs?: number): Promise<void> {
    this.#child.stdin.end();
    const late = endMs !== undefined &&
      setTimeout(() => this.#child.kill("SIGKILL"), endMs);
    await this.ended;
    if (late) clearTimeout(late);
  }
}

/** Hands on each line of stderr; returns a function that words the error of an exit code. */
function readLog(
  { stderr }: Pick<ChildProcessWithoutNullStreams, "stderr">,
  logs: ReadonlySet<OnLog>,
): (code: number | null) => string {
  const lines: string[] = [];
  onLines(stderr, (line) => {
    lines.push(line);
    if (lines.length > LAST_LINES) lines.shift();
    for (const log of logs) log(line);
  });
  return (code) => {
    const at = lines.findLastIndex((line) => line.startsWith("error: "));
    if (at >= 0) return lines.slice(at).join("\n").replace("error: ", "");
    return [`mcp-run-python ended with code ${code}.`, ...lines].join("\n");
  };
}

/** Node's own reader of lines also ends a line at other characters. */
function onLines(stream: Readable, take: (line: string) => void): void {
  let parts: string[] = [];
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const [first = "", ...lines] = chunk.split("\n");
    parts.push(first);
    for (const line of lines) {
      take(parts.join(""));
      parts = [line];
    }
  });
}
