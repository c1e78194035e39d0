import { fileURLToPath } from "node:url";
import { readLines } from "../../src/protocol/lines.ts";
import { nameOf } from "../../src/keeper/value_file.ts";
import type { SessionMeta } from "../../src/server/sessions/saved_sessions.ts";
import { toKey } from "../../src/server/sessions/saved_sessions.ts";
import { CACHE } from "./command.ts";
import { descendants, killFamily, processesNamed } from "./processes.ts";
import type { StoreOrder } from "./storing_server.ts";

const CLI = fileURLToPath(import.meta.resolve("./storing_cli.ts"));

/** A session's handle. */
export const HANDLE: string = "0123456789abcdef".repeat(2);

/** Facts of a session. */
export const META: SessionMeta = {
  ...{ owner: "ada", created: 1000, used: 2000, runs: 3 },
};

/** The name of a session's file. */
export function fileOf(handle: string): string {
  return nameOf({ space: "sessions", owner: META.owner, key: toKey(handle) });
}

/** The launcher, its broker and keeper; orders go to a server that only stores. */
export interface Storing extends AsyncDisposable {
  pid: number;
  /** Orders, and waits for the answer. */
  order(order: StoreOrder): Promise<unknown>;
  /** Saves so many bytes of a value; whether they are there. */
  save(
    byte: number,
    more?: Partial<StoreOrder & { do: "save" }>,
  ): Promise<unknown>;
  load(handle?: string): Promise<unknown>;
  say(text: unknown): Promise<void>;
  /** The next line that it says. */
  heard(): Promise<unknown>;
  closeInput(): Promise<void>;
  closeOutput(): Promise<void>;
  /** Ids of its keepers; there is one at most. */
  stores(): number[];
  family(): number[];
  /** Waits for its end; gives its code or signal, and its logs. */
  ended(): Promise<{ how: number | string; stderr: string }>;
}

/** Starts the command with a folder of sessions. */
export function startStoring(folder: string, args: string[] = []): Storing {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", CLI, "--cache-dir", CACHE, "--session-store", folder],
      ...[...args, "stdio"],
    ],
    env: { NO_COLOR: "1" },
    ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
  }).spawn();
  const input = child.stdin.getWriter();
  const lines = readLines(child.stdout, 1 << 20);
  const stderr = new Response(child.stderr).text();
  const say = async (what: unknown) => {
    const text = `${JSON.stringify(what)}\n`;
    await input.write(new TextEncoder().encode(text));
  };
  const heard = async () => {
    const { value } = await lines.next();
    if (!value) throw new Error(`it has ended: ${await stderr}`);
    return JSON.parse(new TextDecoder().decode(value));
  };
  const order = async (one: StoreOrder) => {
    await say(one);
    return await heard();
  };
  return {
    ...{ pid: child.pid, order, say, heard },
    save: (byte, more = {}) =>
      order({
        ...{ do: "save", handle: HANDLE, meta: META, byte, size: 3 << 20 },
        ...more,
      }),
    load: (handle = HANDLE) => order({ do: "load", handle }),
    closeInput: () => input.close(),
    closeOutput: async () => void await lines.return(undefined),
    stores: () => processesNamed("keeper", child.pid),
    family: () => [child.pid, ...descendants(child.pid)],
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
