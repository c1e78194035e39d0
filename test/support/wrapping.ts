import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { StdioClientTransport } from "../../deps/mcp_client.ts";
import { CLI, command, type Ended } from "./command.ts";
import { findDebianProgram } from "./debian_program.ts";
import { connectBy, type TestClient } from "./client.ts";

/** A server that tries what it is told; its file says how. */
export const TRYING: string = fileURLToPath(
  import.meta.resolve("../fixtures/wrap/trying.mjs"),
);

/** What `trying.mjs` answers. */
export interface Tried {
  found?: unknown;
  refused?: string;
}

/** Has a wrapped server try things, one after another. */
export async function tryWrapped(
  options: string[],
  attempts: readonly object[],
  { env = {}, server = ["node", TRYING], cwd }: {
    env?: Record<string, string>;
    server?: string[];
    cwd?: string;
  } = {},
): Promise<Ended & { tried: Tried[] }> {
  const ended = await command(["wrap", ...options, "--", ...server], {
    stdin: attempts.map((one) => `${JSON.stringify(one)}\n`).join(""),
    findsCache: true,
    env,
    ...(cwd === undefined ? {} : { cwd }),
  });
  const tried = ended.stdout.split("\n").filter(Boolean)
    .map((line): Tried => JSON.parse(line));
  return { ...ended, tried };
}

/** Connects the official client to a wrapped server; `said()` waits for words on its stderr. */
export async function connectWrapped(
  options: string[],
  server: string[],
  env: Record<string, string> = {},
): Promise<TestClient & { said(words: RegExp): Promise<void> }> {
  const transport = new StdioClientTransport({
    command: Deno.execPath(),
    args: ["run", "-A", CLI, "wrap", ...options, "--", ...server],
    env: { ...Deno.env.toObject(), NO_COLOR: "1", ...env },
    stderr: "pipe",
  });
  let stderr = "";
  let wake = () => {};
  transport.stderr?.on("data", (chunk: unknown) => {
    stderr += String(chunk);
    wake();
  });
  const client = await connectBy(transport, "2025-11-25");
  return {
    ...client,
    async said(words) {
      while (!words.test(stderr)) {
        await new Promise<void>((resolve) => wake = resolve);
      }
    },
  };
}

/** Variables by which bubblewrap is found, or the reason that it is not to be had. */
export async function withBwrap(): Promise<
  { PATH: string } | { reason: string }
> {
  if (Deno.build.os !== "linux") return { reason: "it is for Linux" };
  const found = await findDebianProgram("bwrap", "bubblewrap");
  if ("reason" in found) return found;
  return { PATH: `${dirname(found.path)}:${Deno.env.get("PATH")}` };
}

/** The text of a tool's answer. */
export async function callTool(
  { client }: TestClient,
  name: string,
  args: Record<string, unknown>,
): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const text = content.map((part) => part.type === "text" ? part.text : "");
  return { text: text.join(""), isError: isError === true };
}
