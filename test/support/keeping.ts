import { fileURLToPath } from "node:url";
import { readLines } from "../../src/protocol/lines.ts";
import type {
  FromKeeper,
  ToKeeper,
} from "../../src/protocol/keeper_messages.ts";
import { CACHE } from "./command.ts";
import { killFamily } from "./processes.ts";

const CLI = fileURLToPath(import.meta.resolve("./keeping_cli.ts"));

/** A keeper's answer, with the text of its body. */
export type KeepingAnswer = (FromKeeper | { type: "ended"; reason: string }) & {
  text?: string;
};

/** The launcher and its broker, with a server that only asks the keeper of state. */
export interface Keeping extends AsyncDisposable {
  pid: number;
  /** Asks its keeper, with the body's text; a keeper that ends has `ended`. */
  ask(request: ToKeeper, text?: string): Promise<KeepingAnswer>;
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
    async ask(request, body) {
      const order = JSON.stringify({ request, body });
      await input.write(new TextEncoder().encode(`${order}\n`));
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
