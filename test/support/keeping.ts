import { fileURLToPath } from "node:url";
import { readLines } from "../../src/protocol/lines.ts";
import type { FromState, ToState } from "../../src/protocol/keeper_messages.ts";
import { CACHE } from "./command.ts";
import { killFamily } from "./processes.ts";

const CLI = fileURLToPath(import.meta.resolve("./keeping_cli.ts"));

/** The launcher and its broker, with a server that only asks the state process. */
export interface Keeping extends AsyncDisposable {
  pid: number;
  ask(request: ToState): Promise<FromState>;
  closeInput(): Promise<void>;
  /** Waits for its end; gives its code or signal, and its logs. */
  ended(): Promise<{ how: number | string; stderr: string }>;
}

/** Starts the command in code mode. */
export function startKeeping(
  args: string[],
  env: Record<string, string> = {},
): Keeping {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", CLI, "--cache-dir", CACHE, "--code-mode"],
      ...[...args, "stdio"],
    ],
    env: { NO_COLOR: "1", ...env },
    ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
  }).spawn();
  const input = child.stdin.getWriter();
  const lines = readLines(child.stdout, 1 << 20);
  const stderr = new Response(child.stderr).text();
  return {
    pid: child.pid,
    async ask(request) {
      const text = `${JSON.stringify(request)}\n`;
      await input.write(new TextEncoder().encode(text));
      const { value } = await lines.next();
      if (!value) throw new Error(`it has ended: ${await stderr}`);
      return JSON.parse(new TextDecoder().decode(value));
    },
    closeInput: () => input.close(),
    async ended() {
      const { code, signal } = await child.status;
      return { how: signal ?? code, stderr: await stderr };
    },
    async [Symbol.asyncDispose]() {
      killFamily(child.pid);
      await child.status;
      await stderr;
      await lines.return(undefined);
      await child.stdout.cancel().catch(() => {});
      await input.abort().catch(() => {});
    },
  };
}
