/**
 * What running processes may do: their flags and variables are read from the
 * system, and every kind of permission is tried with just these flags. What is
 * expected stands here, and is not taken from the permission table.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { log } from "../src/log.ts";
import { toScopePaths } from "../src/launcher/find_scope_paths.ts";
import { NPM_PYODIDE } from "../src/engines/pyodide/runtime.ts";
import { spawnFlags } from "../src/launcher/spawn.ts";
import { baseFolder } from "./support/cache.ts";
import { CACHE, CLI } from "./support/command.ts";
import { startHttp } from "./support/http_server.ts";
import { startIssuer } from "./support/oauth_issuer.ts";
import { tempFolder } from "./support/folder.ts";
import { assertAllowed, runDeno } from "./support/run_probe.ts";
import { startProbeTarget } from "./support/probe_target.ts";
import { maybeRead } from "./support/proc.ts";
import { descendants } from "./support/processes.ts";
import { connectTo, type TestServer } from "./support/server.ts";
import { startStoring } from "./support/storing.ts";
import { startBridging } from "./support/bridging.ts";
import { illBehaved } from "./support/downstream_servers.ts";
import { sessionBounds } from "../src/protocol/keeper_messages.ts";

const NO_PROC = Deno.build.os !== "linux" &&
  "needs /proc to read the flags of a process";
if (NO_PROC) log(`skipped: permissions of running processes: ${NO_PROC}`);

const ROOT = dirname(CLI);
const NETWORK_TRIES = ["net", "fetch"];

const AUTHORITY = fromHere("./fixtures/tls/authority.pem");
/** Variables that a process has only if it has the network. */
const CERTIFICATES = {
  ...{ DENO_CERT: AUTHORITY, NODE_EXTRA_CA_CERTS: AUTHORITY },
  DENO_TLS_CA_STORE: "mozilla",
};
/** Variables of a launcher. */
const VARIABLES = {
  ...CERTIFICATES,
  ...{ KEY: "a secret", HTTPS_PROXY: "http://p.invalid" },
};
/** Variables of every process that it starts. */
const USUAL = ["DENO_DIR", "HOME", "XDG_CACHE_HOME"]
  .filter((name) => Deno.env.has(name))
  .concat("DENO_NO_UPDATE_CHECK", "GLIBC_TUNABLES", "MALLOC_MMAP_THRESHOLD_")
  .concat("MALLOC_TRIM_THRESHOLD_", "NO_COLOR", "RUST_MIN_STACK");

/** What a sandbox process always has of its permissions. */
const READ = [baseFolder(CACHE), NPM_PYODIDE.folder, `${ROOT}/src`]
  .join(",") + `,${ROOT}/deps`;
const SANDBOX_FLAGS = [
  ...["--quiet", "--cached-only", "--no-prompt", `--allow-read=${READ}`],
  "--v8-flags=--disallow-code-generation-from-strings,--max-old-space-size=512,--no-wasm-deopt,--stack-size=7000,--wasm-stack-switching-stack-size=8192",
];

Deno.test({
  name:
    "running: server and sandbox have their flags and variables, and no others",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using server = await connectTo([
      ...[CLI, "--cache-dir", CACHE, "--env", "KEY", "stdio"],
    ], { env: VARIABLES });
    const { flags, argument } = await find(server, "server");
    assertEquals(flags, [
      ...["--quiet", "--cached-only", "--no-prompt", "--conditions=browser"],
    ]);
    assertEquals(argument, "stdio");
    await assertRefused(flags);
    const sandbox = await find(server, "sandbox");
    assertEquals(sandbox.flags, SANDBOX_FLAGS);
    await assertRefused(sandbox.flags);
    assertEquals(Object.keys(Object(sandbox.argument)).sort(), [
      ...[
        "allowNet",
        "backgroundCpuSeconds",
        "engine",
        "environment",
        "logLevel",
        "maxFiles",
      ],
      ...["maxFilesMiB", "memoryMiB", "mounts", "runtime", "stackKiB"],
    ]);
  },
});

Deno.test({
  name: "running: a sandbox has what is granted to it, and no more",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using folder = await tempFolder();
    const [ro, rw] = await folder.make("ro", "rw");
    await using server = await connectTo([
      ...[CLI, "--cache-dir", CACHE, "--memory", "2048"],
      ...["--mount", ro, "--mount", `${rw}:rw`],
      ...["--allow-net", "example.com:443,127.0.0.2:9", "stdio"],
    ], { env: VARIABLES });
    const { flags } = await find(server, "sandbox", Object.keys(CERTIFICATES));
    const [denied = ""] = flags.filter((flag) => flag.startsWith("--deny"));
    const [quiet, cached, prompt, read, v8] = SANDBOX_FLAGS;
    assertEquals(flags, [
      ...[quiet, cached, prompt, `${read},${ro},${rw}`, `--allow-write=${rw}`],
      ...["--allow-net=example.com:443,127.0.0.2:9", denied],
      v8?.replace("=512", "=1024"),
    ]);
    assert(/^--deny-net=0\.0\.0\.0\/8,10\.0\.0\.0\/8,/.test(denied), denied);
    // An address of this machine; what is beside the granted one is a range.
    assert(denied.split(",").includes("127.0.0.1"), denied);
    await assertRefused(flags);
    assertEquals((await find(server, "server")).flags.length, 4);
  },
});

Deno.test({
  name: "running: a server of HTTP has its address and the issuer's keys",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using issuer = await startIssuer("");
    const audience = "https://python.example.com/mcp";
    await using server = await startHttp([
      ...["--oauth-issuer", issuer.url, "--oauth-audience", audience],
    ], { env: VARIABLES });
    const { flags, argument } = read(
      server,
      "server",
      Object.keys(CERTIFICATES),
    );
    const net = `--allow-net=127.0.0.1:0,${new URL(issuer.url).host}`;
    assertEquals(flags, [
      ...["--quiet", "--cached-only", "--no-prompt", net],
      "--conditions=browser",
    ]);
    assertEquals(argument, "http");
    await assertRefused(flags);
  },
});

for (
  const [name, allowed] of [
    ["installer", NETWORK_TRIES],
    ["offlineInstaller", []],
    ["preloader", []],
  ] as const
) {
  const network = allowed.length > 0 ? "" : "use the network, ";
  Deno.test(`the ${name} may not ${network}run, read the environment or load libraries`, async () => {
    await using folder = await tempFolder();
    const [cache] = await folder.make("cache");
    const places = {
      ...toScopePaths(cache, ["/pyodide"]),
      environment: [`${cache}/one`],
    };
    await assertRefused(spawnFlags(name, places), allowed);
  });
}

Deno.test({
  name: "running: the keeper of sessions has its folder, and no more",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using folder = await tempFolder();
    await using storing = startStoring(folder.path);
    await storing.save(1);
    const { flags, argument } = read(storing, "keeper");
    assertEquals(flags, [
      ...["--quiet", "--cached-only", "--no-prompt"],
      ...[`--allow-read=${folder.path}`, `--allow-write=${folder.path}`],
    ]);
    assertEquals(argument, {
      folder: folder.path,
      bounds: sessionBounds(1344 << 20, 2 ** 32),
    });
    await assertRefused(flags);
  },
});

Deno.test({
  name: "running: a bridge may run its server's program, or reach its host",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using folder = await tempFolder();
    await using target = startProbeTarget();
    await using bridging = await startBridging(folder.path, {
      program: illBehaved("hangs_at_start", { KEY: "a secret" }),
    }, { env: VARIABLES });
    await using other = await startBridging(folder.path, {
      host: { url: `http://127.0.0.1:${target.port}/`, headers: { KEY: "x" } },
    }, { env: VARIABLES });
    const common = ["--quiet", "--cached-only", "--no-prompt"];
    const network = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"]
      .flatMap((name) => [name, name.toLowerCase()])
      .filter((name) => name in VARIABLES || Deno.env.has(name));
    for (
      const [running, name, flag, variables] of [
        [bridging, "program", `--allow-run=${Deno.execPath()}`, []],
        [other, "host", `--allow-net=127.0.0.1:${target.port}`, [
          ...[...Object.keys(CERTIFICATES), ...network],
        ]],
      ] as const
    ) {
      void running.order({ do: "tools", name }).catch(() => {});
      while (running.bridges().length === 0) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      const { flags, argument } = read(running, "bridge", [...variables]);
      assertEquals(flags, [...common, flag]);
      // The system shows to all its users how a process was started.
      assertEquals(argument, null);
      await assertRefused(flags);
    }
  },
});

/** Waits for a process of a server to run, and reads how it was started. */
async function find(
  server: TestServer,
  name: "server" | "sandbox",
  moreVariables: string[] = [],
): Promise<{ flags: string[]; argument: unknown }> {
  await server.call("1");
  return read(server, name, moreVariables);
}

function read(
  server: { pid: number },
  name: "server" | "sandbox" | "keeper" | "bridge",
  moreVariables: string[] = [],
): { flags: string[]; argument: unknown } {
  const program = `${ROOT}/src/${name}/main.ts`;
  for (const pid of descendants(server.pid)) {
    const [deno, run, ...args] = words(pid, "cmdline");
    const at = args.findIndex((arg) => arg === `file://${program}`);
    // A shell around a bridge names it, too.
    if (at < 0 || deno === "/bin/sh") continue;
    assertEquals([deno, run], [Deno.execPath(), "run"]);
    const [argument = "null", ...more] = args.slice(at + 1);
    assertEquals(more, []);
    const variables = words(pid, "environ").map((text) => text.split("=")[0]);
    assertEquals(
      variables.sort(),
      [...USUAL, ...moreVariables].sort(),
    );
    return { flags: args.slice(0, at), argument: JSON.parse(argument) };
  }
  throw new Error(`There is no ${name} process`);
}

function words(pid: number, file: string): string[] {
  return (maybeRead(`/proc/${pid}/${file}`) ?? "").split("\0").slice(0, -1);
}

/** That a process with these flags may do nothing else of what is tried. */
async function assertRefused(
  flags: string[],
  allowed: readonly string[] = [],
): Promise<void> {
  await using target = startProbeTarget();
  const probe = fromHere("./support/probe.ts");
  assertAllowed(
    await runDeno([...flags, probe], { port: target.port }),
    allowed,
  );
}

function fromHere(path: string): string {
  return fileURLToPath(import.meta.resolve(path));
}
