import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { CommandLine } from "./options.ts";
import { inOwnWords } from "./own_words.ts";
import { PACKAGED } from "./packaged.ts";
import { type Packaged, programsFolder, unpack } from "./unpack.ts";

/** Lines of stderr for the error of a program that ends. */
const LAST_LINES = 50;

/** Takes lines of the log. */
export type OnLog = (line: string) => void;

/** The sandbox itself cannot start or has ended; the message has the remedy. */
export class SandboxError extends Error {
  /** Tells it from other errors. */
  override name = "SandboxError";
}

/** Arguments of Deno that start the command; unpacks a packaged program, once. */
export async function toDenoArguments(
  args: readonly string[],
): Promise<string[]> {
  const packaged: Packaged | undefined = PACKAGED;
  const os = process.platform === "win32" ? "windows" : process.platform;
  const folder = packaged &&
    await unpack(
      packaged,
      programsFolder(process.env, { os, home: homedir() }),
    );
  const cli = folder === undefined
    ? fileURLToPath(new URL("../../cli.ts", import.meta.url))
    : join(folder, "cli.ts");
  return ["run", "-A", cli, ...args];
}

/**
 * Finds Deno: `MCP_RUN_PYTHON_DENO`, the program that runs this, or, under Node,
 * that of the npm package `deno`.
 *
 * @throws {SandboxError} If that package is not there; with the remedy.
 */
export function findDeno(): string {
  const named = process.env["MCP_RUN_PYTHON_DENO"];
  if (named) return named;
  if (process.versions["deno"]) return process.execPath;
  const require = createRequire(import.meta.url);
  try {
    return require("deno/install_api.cjs").runInstall();
  } catch (cause) {
    throw new SandboxError(
      "Cannot find Deno: the npm package deno is not installed beside mcp-run-python. Run `npm install deno` there, install a folder with --install-links, or name Deno by MCP_RUN_PYTHON_DENO.",
      { cause },
    );
  }
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
    const last: string[] = [];
    onLines(child.stderr, (line) => {
      last.push(line);
      if (last.length > LAST_LINES) last.shift();
      if (this.logs.size > 0) { for (const log of this.logs) log(line); }
      // Errors are thrown; the rest is of an install, which may take minutes.
      else if (!/^error: |Z error |^See mcp-run-python --help\.$/.test(line)) {
        process.stderr.write(`mcp-run-python: ${line}\n`);
      }
    });
    // The end of the process reports failed writes.
    child.stdin.on("error", () => {});
    this.ended = new Promise((resolve) => {
      const end = (reason: string) =>
        resolve(new SandboxError(inOwnWords(reason)));
      child.on("error", (error) => end(`Cannot start Deno: ${error.message}`));
      child.on("close", (code) => {
        const at = last.findLastIndex((line) => line.startsWith("error: "));
        if (at >= 0) end(last.slice(at).join("\n").replace("error: ", ""));
        end([`mcp-run-python ended with code ${code}.`, ...last].join("\n"));
      });
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
