/**
 * npx and uv start the command in a process of its own, which outlives them: real
 * ones, killed.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "../deps/assert.ts";
import { findUv } from "../scripts/build/uv.ts";
import { maybe } from "../src/errors.ts";
import { log } from "../src/log.ts";
import { findPython } from "./bench/figures/plain_python.ts";
import { CACHE, CLI } from "./support/command.ts";
import { descendants, whichOutlive } from "./support/processes.ts";
import { someOf } from "./support/rounds.ts";

const PACKAGE = fileURLToPath(import.meta.resolve("../python/src"));
const python = await findPython();
const NPX = ["npx", "-y", `deno@${Deno.version.deno}`];
const NO_NPX = await whyNot([...NPX, "--version"]);
if (NO_NPX) log(`skipped: killed npx: ${NO_NPX}`);
const NO_UV = python === undefined && "there is no python3";
if (NO_UV) log(`skipped: killed uv: ${NO_UV}`);
const NO_PROC = Deno.build.os !== "linux" && "needs /proc to count processes";
if (NO_PROC) log(`skipped: killed npx and uv: ${NO_PROC}`);

const COMMAND = ["run", "-A", CLI, "--cache-dir", CACHE];
const HTTP = ["--port", "0", "streamable-http"];
const INITIALIZE = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "x", version: "1" },
  },
});

interface Started extends AsyncDisposable {
  pid: number;
  /** It and all below it. */
  family: number[];
}

const KILLS = {
  "npx that serves HTTP, SIGKILL": ["SIGKILL", () => byNpx(HTTP)],
  "npx that serves HTTP, SIGTERM": ["SIGTERM", () => byNpx(HTTP)],
  "npx that serves HTTP, SIGHUP": ["SIGHUP", () => byNpx(HTTP)],
  "npx that serves a client whose pipe stays open, SIGKILL": [
    ...["SIGKILL", () => byNpx(["stdio"])] as const,
  ],
  "npx that serves a client whose pipe stays open, SIGTERM": [
    ...["SIGTERM", () => byNpx(["stdio"])] as const,
  ],
  "uv that serves HTTP, SIGKILL": ["SIGKILL", () => byUv(HTTP)],
  "uv that serves HTTP, SIGTERM": ["SIGTERM", () => byUv(HTTP)],
} satisfies Record<string, [Deno.Signal, () => Promise<Started>]>;

for (
  const [name, [signal, start]] of someOf(KILLS, [
    "npx that serves HTTP, SIGTERM",
    "npx that serves a client whose pipe stays open, SIGKILL",
    "uv that serves HTTP, SIGKILL",
  ])
) {
  Deno.test({
    name: `nothing is left after the kill of ${name}`,
    ignore: Boolean(NO_PROC || (name.startsWith("uv") ? NO_UV : NO_NPX)),
    async fn() {
      await using started = await start();
      assert(started.family.length > 2);
      Deno.kill(started.pid, signal);
      assertEquals(await whichOutlive(started.family), []);
    },
  });
}

Deno.test({
  name:
    "a killed npx ends its server; a terminal that is gone, and a shell's end, leave one that was to stay",
  ignore: Boolean(NO_PROC || NO_NPX),
  async fn() {
    await using kept = await start(["nohup", ...NPX, ...COMMAND, ...HTTP]);
    // The same without nohup, of whose end is heard: it comes after the look of the other.
    await using ended = await byNpx(HTTP);
    await using alone = await start([
      ...["sh", "-c", '"$@" & read -r _; read -r _', "sh", Deno.execPath()],
      ...[...COMMAND, ...HTTP],
    ]);
    Deno.kill(-kept.pid, "SIGHUP");
    Deno.kill(alone.pid, "SIGKILL");
    Deno.kill(ended.pid, "SIGKILL");
    assertEquals(await whichOutlive(ended.family), []);
    for (const { family: [wrapper = 0, ...others] } of [kept, alone]) {
      assertEquals(await whichOutlive([wrapper]), []);
      const launcher = others.find((pid) => descendants(pid).length > 1);
      assert(launcher !== undefined);
      // The others end by it, once it is asked to end.
      Deno.kill(launcher, "SIGTERM");
      assertEquals(await whichOutlive(others), []);
    }
  },
});

function byNpx(args: string[]): Promise<Started> {
  return start([...NPX, ...COMMAND, ...args]);
}

async function byUv(args: string[]): Promise<Started> {
  return await start([
    ...[await findUv(), "run", "--no-project", `${python}`],
    ...["-m", "mcp_run_python", "--cache-dir", CACHE, ...args],
  ], { PYTHONPATH: PACKAGE, MCP_RUN_PYTHON_DENO: Deno.execPath() });
}

/** Starts a server in a process group of its own, and waits until it serves. */
async function start(
  words: string[],
  env: Record<string, string> = {},
): Promise<Started> {
  const child = new Deno.Command("setsid", {
    args: words,
    env: { NO_COLOR: "1", UV_PYTHON_DOWNLOADS: "never", ...env },
    ...{ stdin: "piped", stdout: "piped", stderr: "null" },
  }).spawn();
  const input = child.stdin.getWriter();
  await input.write(new TextEncoder().encode(`${INITIALIZE}\n`));
  const output = child.stdout.getReader();
  // The address, or the answer.
  const { done } = await output.read();
  assert(!done, `${words.join(" ")} does not serve`);
  const family = [child.pid, ...descendants(child.pid)];
  return {
    ...{ pid: child.pid, family },
    async [Symbol.asyncDispose]() {
      for (const pid of family) maybe(() => Deno.kill(pid, "SIGKILL"));
      await child.status;
      await output.cancel();
      await input.abort().catch(() => {});
    },
  };
}

async function whyNot([program = "", ...args]: string[]) {
  try {
    const { success, stderr } = await new Deno.Command(program, { args })
      .output();
    return success ? undefined : new TextDecoder().decode(stderr);
  } catch (error) {
    return String(error);
  }
}
