/**
 * Downstream MCP servers for tests: real ones from npm and PyPI in pinned
 * versions, two of FastMCP, and an ill-behaved one. Each comes as the object that
 * stands below `mcpServers` in a client's file; {@linkcode toEntry} makes of it
 * what the launcher reads from there.
 *
 * @module
 */
import { kill } from "../../src/launcher/spawn.ts";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf } from "../../src/errors.ts";
import { readLines } from "../../src/protocol/lines.ts";
import type { ServerEntry } from "../../src/protocol/downstream.ts";
import { getNpmPackages, NODE, programsOf } from "./npm_packages.ts";
import { getPythonPackages } from "./python_packages.ts";
import { run } from "../../src/launcher/bundling/write_program.ts";

/** A server as files of clients name it. */
export type ConfiguredServer =
  | {
    command: string;
    args: string[];
    env?: Record<string, string>;
    cwd?: string;
    description?: string;
    always?: boolean;
  }
  | {
    url: string;
    headers?: Record<string, string>;
    description?: string;
    always?: boolean;
  };

/** Servers by their names, or the reason that they cannot be had. */
export type ConfiguredServers =
  | { servers: Record<string, ConfiguredServer> }
  | { reason: string };

const NPM_SERVERS = {
  everything: "@modelcontextprotocol/server-everything@2026.8.31",
  filesystem: "@modelcontextprotocol/server-filesystem@2026.8.31",
  memory: "@modelcontextprotocol/server-memory@2026.8.31",
  "sequential-thinking":
    "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
};
const PYPI_SERVERS = {
  time: "mcp-server-time==2026.10.19",
  git: "mcp-server-git==2026.10.19",
  fetch: "mcp-server-fetch==2026.10.24",
};
const FASTMCP = "fastmcp==4.1.2";

/**
 * The servers `everything`, `filesystem`, `memory` and `sequential-thinking`, run
 * by Node.
 *
 * @param folder That `filesystem` reads and writes, and `memory` keeps its file in.
 */
export async function npmServers(folder: string): Promise<ConfiguredServers> {
  const [node, found] = await Promise.all([
    getNpmPackages(NODE),
    getNpmPackages(...Object.values(NPM_SERVERS)),
  ]);
  if ("reason" in node) return node;
  if ("reason" in found) return found;
  const more: Record<string, string[]> = {
    everything: ["stdio"],
    filesystem: [folder],
  };
  const env = { MEMORY_FILE_PATH: join(folder, "memory.jsonl") };
  return {
    servers: Object.fromEntries(
      Object.keys(NPM_SERVERS).map((name) => [name, {
        command: join(programsOf(node.folder), "node"),
        args: [
          join(
            found.folder,
            "node_modules/@modelcontextprotocol",
            `server-${name}`,
            "dist/index.js",
          ),
          ...more[name] ?? [],
        ],
        ...(name === "memory" ? { env } : {}),
      }]),
    ),
  };
}

/**
 * The servers `time`, `git` and `fetch`, run by CPython.
 *
 * @param repository A folder; it becomes a repository of git if it is none yet.
 */
export async function pypiServers(
  repository: string,
): Promise<ConfiguredServers> {
  const found = await getPythonPackages(...Object.values(PYPI_SERVERS));
  if ("reason" in found) return found;
  try {
    await run("git", ["init", "--quiet", repository]);
  } catch (error) {
    return { reason: messageOf(error) };
  }
  const more: Record<string, string[]> = {
    time: ["--local-timezone", "UTC"],
    git: ["--repository", repository],
    fetch: ["--ignore-robots-txt"],
  };
  return {
    servers: Object.fromEntries(
      Object.keys(PYPI_SERVERS).map((name) => [name, {
        command: found.python,
        args: ["-m", `mcp_server_${name}`, ...more[name] ?? []],
        env: pythonVariables(found.folder),
      }]),
    ),
  };
}

/** The server `fast`: `test/fixtures/downstream/fast.py` over stdio. */
export async function fastServer(): Promise<ConfiguredServers> {
  const found = await getPythonPackages(FASTMCP);
  if ("reason" in found) return found;
  const { python: command, folder } = found;
  const env = pythonVariables(folder);
  return { servers: { fast: { command, args: [fixture("fast.py")], env } } };
}

/** The same over HTTP, in a process of its own until it is disposed of. */
export interface FastHttpServer extends AsyncDisposable {
  /** The server `fast_http`, with the header that it asks for. */
  servers: Record<"fast_http", { url: string; headers: HeadersOf }>;
  url: string;
}

type HeadersOf = Record<string, string>;

/** The header without which {@linkcode startFastHttp}'s server answers 401. */
export const HTTP_HEADERS: HeadersOf = { Authorization: "Bearer s3cret-token" };

/** Starts the FastMCP server on a free port of this machine. */
export async function startFastHttp(): Promise<
  FastHttpServer | { reason: string }
> {
  const found = await getPythonPackages(FASTMCP);
  if ("reason" in found) return found;
  const process = new Deno.Command(found.python, {
    args: [fixture("fast.py"), "http"],
    env: { ...pythonVariables(found.folder), FASTMCP_LOG_LEVEL: "ERROR" },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const decoder = new TextDecoder();
  for await (const line of readLines(process.stdout, 64 * 1024)) {
    const [, port] = /^PORT (\d+)$/.exec(decoder.decode(line).trim()) ?? [];
    if (!port) continue;
    const url = `http://127.0.0.1:${port}/mcp`;
    return {
      url,
      servers: { fast_http: { url, headers: HTTP_HEADERS } },
      async [Symbol.asyncDispose]() {
        kill(process);
        await process.status;
      },
    };
  }
  await process.status;
  return { reason: "fast.py ended before it listened" };
}

/** What {@linkcode illBehaved} does, beside answering as a server does. */
export type IllHabit =
  | (
    | "hangs_at_start"
    | "dies_at_start"
    | "noisy"
    | "endless_pages"
    | "broken_tools"
  )
  | "good";

/**
 * The server of `test/fixtures/downstream/ill_behaved.ts`, run by Deno: a habit of
 * its start or its list; its tools have those of calls (`hang`, `die`, `flood`,
 * `lie`, `big`, `malformed`, `wrong_id`, `crossed`, `change`, …).
 */
export function illBehaved(
  habit: IllHabit,
  env: Record<string, string> = {},
): ConfiguredServer {
  return {
    command: Deno.execPath(),
    args: ["run", "-A", "--quiet", fixture("ill_behaved.ts"), habit],
    env,
  };
}

/**
 * The server of `test/fixtures/downstream/small.ts`, run by Deno: as many tools as
 * `TOOLS` says, with `token` and `destroy`.
 */
export function smallServer(
  name: string,
  env: Record<string, string> = {},
): ConfiguredServer {
  return {
    command: Deno.execPath(),
    args: ["run", "-A", "--quiet", fixture("small.ts"), name],
    env,
  };
}

/** A server of the protocol of 2026 alone, with the tools `echo` and `ask_user`. */
export function modernServer(): ConfiguredServer {
  return {
    command: Deno.execPath(),
    args: ["run", "-A", "--quiet", fixture("modern.ts")],
  };
}

/** The entry that the launcher reads from a configured server. */
export function toEntry(name: string, server: ConfiguredServer): ServerEntry {
  const { description } = server;
  const facts = {
    ...{ name, source: "a test" },
    ...(description === undefined ? {} : { description }),
  };
  if ("url" in server) {
    const { url, headers = {} } = server;
    return { ...facts, transport: "http", url, headers };
  }
  const { command, args, env = {}, cwd } = server;
  const place = cwd === undefined ? {} : { cwd };
  return { ...facts, transport: "stdio", command, args, env, ...place };
}

/** Writes a file for `--mcp-config`; returns its path. */
export async function writeServers(
  folder: string,
  mcpServers: Record<string, ConfiguredServer>,
): Promise<string> {
  const path = join(folder, "mcp.json");
  await Deno.writeTextFile(path, JSON.stringify({ mcpServers }, null, 2));
  return path;
}

function pythonVariables(folder: string): Record<string, string> {
  return {
    PYTHONPATH: folder,
    // Beside the repository's own modules there is to be no file.
    PYTHONPYCACHEPREFIX: join(folder, "pycache"),
    PYTHONIOENCODING: "utf-8",
  };
}

function fixture(name: string): string {
  return fileURLToPath(import.meta.resolve(`../fixtures/downstream/${name}`));
}
