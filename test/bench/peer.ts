import { readLines } from "../../src/protocol/lines.ts";
import { whichOutlive } from "../support/processes.ts";
import { familyOf } from "./usage.ts";

const LONGEST_LINE = 1 << 20;
/** Time to end after stdin did. */
const END_WITHIN_MS = 10_000;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** How a process is started. */
export interface PeerOptions {
  /** A program, and its first arguments. */
  command?: [path: string, ...first: string[]];
  cwd?: string;
  env?: Record<string, string>;
  /** Ends it; without, the end of stdin does. */
  endSignal?: Deno.Signal;
}

/**
 * A process that is spoken to in lines, on the clock since its start.
 *
 * It is nothing but pipes: no library's cost is in what is measured with it.
 */
export class Peer implements AsyncDisposable {
  #started = performance.now();
  #child: Deno.ChildProcess;
  #writer: WritableStreamDefaultWriter<Uint8Array>;
  #lines: AsyncGenerator<Uint8Array>;
  #endSignal: Deno.Signal | undefined;

  /** @param args Arguments of `deno run`, or of another command. */
  constructor(
    args: string[],
    { command = [Deno.execPath(), "run"], endSignal, ...options }: PeerOptions =
      {},
  ) {
    this.#endSignal = endSignal;
    const [path, ...first] = command;
    this.#child = new Deno.Command(path, {
      args: [...first, ...args],
      ...options,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#lines = readLines(this.#child.stdout, LONGEST_LINE);
  }

  /** Its process id. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Time since just before it was started. */
  get ageMs(): number {
    return performance.now() - this.#started;
  }

  /** Sends one line. */
  async send(line: string): Promise<void> {
    await this.#writer.write(encoder.encode(`${line}\n`));
  }

  /** The next line that it sends. */
  async receive(): Promise<string> {
    const { value } = await this.#lines.next();
    if (value) return decoder.decode(value);
    throw new Error("The process ended without an answer");
  }

  /** Ends it, and waits until nothing of it is left to disturb the next one. */
  async [Symbol.asyncDispose](): Promise<void> {
    const family = familyOf(this.pid);
    const late = setTimeout(() => this.#child.kill("SIGKILL"), END_WITHIN_MS);
    await this.#writer.close().catch(() => {});
    if (this.#endSignal) this.#child.kill(this.#endSignal);
    await this.#lines.return(undefined);
    await this.#child.status;
    clearTimeout(late);
    if (family.length === 1) return;
    const left = await whichOutlive(family);
    if (left.length > 0) {
      throw new Error(
        `Cannot measure on, as processes ${left.join(", ")} did not end`,
      );
    }
  }
}
