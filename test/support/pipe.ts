import { readLines } from "../../src/protocol/lines.ts";
import type { ToProgram } from "../../src/protocol/pipe_messages.ts";
import { CLI, wordsOf } from "./command.ts";

/** What ends a call. */
export type CallEnd = Extract<
  ToProgram,
  { type: "result" | "done" | "failed" }
>;

/** A program at the end of a pipe. */
export interface Program extends AsyncDisposable {
  pid: number;
  /** All that the launcher has sent; it grows. */
  told: ToProgram[];
  /** Sends a message of any kind. */
  send(message: unknown): Promise<void>;
  /** Waits for a message. */
  until<T extends ToProgram>(
    isIt: (message: ToProgram) => message is T,
  ): Promise<T>;
  /** Waits for the end of the call of this number. */
  endOf(id: number): Promise<CallEnd>;
  /** Ends the pipe; gives the exit code and all of stderr. */
  close(): Promise<{ code: number; stderr: string }>;
}

/** Starts `mcp-run-python pipe`. */
export function startPipe(options: string[] = [], cli: string = CLI): Program {
  const [deno = "", ...words] = wordsOf(cli);
  const child = new Deno.Command(deno, {
    args: [...words, ...options, "pipe"],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const stderr = new Response(child.stderr).text();
  const told: ToProgram[] = [];
  let news = Promise.withResolvers<void>();
  let isOver = false;
  read();
  const program: Program = {
    pid: child.pid,
    told,
    async send(message) {
      const line = `${JSON.stringify(message)}\n`;
      await writer.write(new TextEncoder().encode(line));
    },
    async until(isIt) {
      while (true) {
        const found = told.find(isIt);
        if (found) return found;
        if (isOver) throw new Error(`The pipe has ended: ${await stderr}`);
        await news.promise;
      }
    },
    endOf: (id) =>
      program.until((message): message is CallEnd =>
        ["result", "done", "failed"].includes(message.type) &&
        "id" in message && message.id === id
      ),
    async close() {
      await writer.close().catch(() => {});
      const { code } = await child.status;
      return { code, stderr: await stderr };
    },
    async [Symbol.asyncDispose]() {
      await program.close();
    },
  };
  return program;

  async function read(): Promise<void> {
    for await (const line of readLines(child.stdout, 1 << 28)) {
      told.push(JSON.parse(new TextDecoder().decode(line)));
      tell();
    }
    isOver = true;
    tell();
  }

  function tell(): void {
    news.resolve();
    news = Promise.withResolvers();
  }
}
