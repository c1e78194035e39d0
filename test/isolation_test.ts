/**
 * The second wall, in real processes: what Deno's permissions would allow is
 * tried from behind it with all of them given.
 *
 * @module
 */
import { SETUP } from "./support/request.ts";
import { encodeMessage } from "../src/protocol/run_messages.ts";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { isInUse } from "../src/environments/file_locks.ts";
import { tryBwrap, type Wall } from "../src/launcher/isolation.ts";
import { toScopePaths } from "../src/launcher/find_scope_paths.ts";
import { ENGINE } from "../src/engines/index.ts";
import { NPM_PYODIDE } from "../src/engines/pyodide/runtime.ts";
import { spawn } from "../src/launcher/spawn.ts";
import { log } from "../src/log.ts";
import { fakeBwrap } from "./support/bwrap.ts";
import { baseFolder, makeCache } from "./support/cache.ts";
import { CACHE, CLI, command } from "./support/command.ts";
import type { Order, Seen } from "./support/look_around.ts";
import { startIndex } from "./support/index_server.ts";
import { commandLine, descendants, whichOutlive } from "./support/processes.ts";
import { getPyodide027 } from "./support/pyodide_027.ts";
import { startServer } from "./support/server.ts";
import { startWebServer } from "./support/web_server.ts";
import { wheel } from "./support/wheel.ts";
import { withBwrap } from "./support/wrapping.ts";

const BWRAP = ["--isolation", "bwrap"];
const LOOK = fileURLToPath(import.meta.resolve("./support/look_around.ts"));

const fromProgram = (path: string) => join(dirname(CLI), path);

// Where the machine has none, Debian's package has it.
const bwrap = await withBwrap();
if ("PATH" in bwrap) Deno.env.set("PATH", bwrap.PATH);
const found = await tryBwrap();
const ignore = "reason" in found;
if (ignore) log(`skipped: --isolation bwrap: ${found.reason}`);
const wall: Wall = (places) => "wall" in found ? found.wall(places) : [];

function behindWall(name: string, fn: () => Promise<void>): void {
  Deno.test({ name: `second wall: ${name}`, ignore, fn });
}

behindWall(
  "without it, a process sees and reaches what is tried below",
  async () => {
    const seen = await lookAround(baseFolder(CACHE), {
      ...{ read: [CLI], write: [dirname(LOOK)], around: () => [] },
    });
    assertEquals([seen.read, seen.write], [[CLI], [dirname(LOOK)]]);
    assertEquals(seen.network.slice(0, 2), ["connect", "fetch"]);
    assertEquals([seen.reachesProcess, seen.runs], [true, true]);
    assert(seen.variables.includes("HOME"));
  },
);

behindWall(
  "of the host's files only what a sandbox needs is there",
  async () => {
    await using cache = await makeCache();
    const own = baseFolder(cache.folder);
    const hostOnly = [
      ...["/etc", "/etc/passwd", "/root", "/home", "/usr/bin", "/var", "/sys"],
      ...[Deno.env.get("HOME") ?? "/root", Deno.cwd(), cache.folder],
      ...[dirname(own), dirname(CLI), CLI, import.meta.filename ?? "", CACHE],
    ];
    const others = join(dirname(own), "another", "snapshot.bin");
    await Deno.mkdir(dirname(others));
    await Deno.writeTextFile(others, "another's");
    const seen = await lookAround(own, {
      read: [...hostOnly, others, own, NPM_PYODIDE.folder],
      write: [],
    });
    // Folders on the way to what is there exist, and hold nothing else.
    const files = seen.read.filter((path) => Deno.statSync(path).isFile);
    assertEquals(files, []);
    assert(seen.read.includes(own) && seen.read.includes(NPM_PYODIDE.folder));
    for (const path of ["/etc", "/home", "/usr/bin", "/var", "/sys"]) {
      assert(!seen.read.includes(path), `${path} is there`);
    }
    const usual = ["dev", "lib", "lib64", "proc", "tmp", "usr"];
    const onTheWay = [own, LOOK, CLI, Deno.execPath(), NPM_PYODIDE.folder]
      .map((path) => path.split("/")[1]);
    for (const name of seen.root) {
      assert([...usual, ...onTheWay].includes(name), `/${name} is there`);
    }
  },
);

behindWall(
  "nothing of the host's can be written, and /tmp is its own",
  async () => {
    await using cache = await makeCache();
    const own = baseFolder(cache.folder);
    const hosts = [own, NPM_PYODIDE.folder, fromProgram("src")];
    const marker = await Deno.makeTempFile({ dir: "/tmp" });
    const seen = await lookAround(own, {
      write: [...hosts, "/", "/usr/lib", "/tmp"],
      read: [marker],
    });
    assertEquals(seen.write.filter((path) => hosts.includes(path)), []);
    assert(seen.write.includes("/tmp"));
    assert(!seen.write.includes("/") && !seen.write.includes("/usr/lib"));
    assertEquals(seen.read, []);
    await Deno.remove(marker);
  },
);

behindWall("there is no network", async () => {
  const seen = await lookAround(baseFolder(CACHE));
  assertEquals(seen.network, []);
  assertEquals(seen.interfaces.filter((name) => name !== "lo"), []);
});

behindWall("what is granted is reached, by its name too", async () => {
  await using web = startWebServer();
  await using server = await startServer([
    ...BWRAP,
    ...["--allow-net", `localhost:${web.port}`],
  ]);
  const code = (host: string) =>
    `import urllib.request; urllib.request.urlopen("http://${host}:${web.port}/a").read()`;
  const { returnValue, text } = await server.call(code("localhost"));
  assertEquals(returnValue, "hello /a", text);
  assertEquals((await server.call(code("127.0.0.1"))).status, "run-error");
});

behindWall("no other process can be seen, signalled or started", async () => {
  const seen = await lookAround(baseFolder(CACHE));
  assertEquals(seen.processes.sort(), ["bwrap", "deno"]);
  assertEquals([seen.reachesProcess, seen.runs], [false, false]);
});

behindWall(
  "there are no capabilities, variables or names of the host",
  async () => {
    const { status, variables, hostname, folder, rss } = await lookAround(
      baseFolder(CACHE),
    );
    const sets = ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"];
    assertEquals(sets.map((name) => Number(`0x${status[name]}`)), [
      ...sets.map(() => 0),
    ]);
    assertEquals(status.NoNewPrivs, "1");
    // Deno gives itself a PATH.
    const given = variables.filter((name) => !/^(DENO_.*|PATH)$/.test(name));
    assertEquals(given, [
      ...["GLIBC_TUNABLES", "MALLOC_MMAP_THRESHOLD_"],
      ...["MALLOC_TRIM_THRESHOLD_", "NO_COLOR", "PWD", "RUST_MIN_STACK"],
    ]);
    assertEquals([hostname, folder], ["sandbox", "/"]);
    // It is watched by this.
    assert(rss > 0);
  },
);

behindWall("calls run behind it, each with a fresh interpreter", async () => {
  await using server = await startServer(BWRAP);
  for (const round of [1, 2, 3]) {
    const code =
      `print('hi'); first = 'x' not in globals(); x = 1; [first, ${round}]`;
    const { output, returnValue } = await server.call(code);
    assertEquals([output, returnValue], [["hi"], [true, round]]);
  }
  const programs = commandsBelow(server.pid)
    .filter((args) => args.some((arg) => arg.endsWith("/sandbox/main.ts")))
    .map(([program = ""]) => basename(program));
  assertEquals(
    new Set(programs),
    new Set(["bwrap", basename(Deno.execPath())]),
  );
});

behindWall("limits hold: time, memory and a process that dies", async () => {
  await using server = await startServer([...BWRAP, "--memory", "256"]);
  const codes = {
    "while True: pass": "timeout",
    "import pyodide_js\npyodide_js.setInterruptBuffer(None)\nwhile True: pass":
      "timeout",
    "x = []\nwhile True: x.append(bytearray(10**7))": "memory-limit",
    "import js\nx = []\nwhile True: x.append(js.Uint8Array.new(1 << 26).fill(1))":
      "memory-limit|crashed|run-error",
    "raise Exception('x' * 70_000_000)": "crashed|run-error|memory-limit",
  };
  for (const [code, status] of Object.entries(codes)) {
    // Only what hangs meets its time limit, however slow the machine.
    const timeout = status === "timeout" ? 3 : 60;
    const failed = await server.call(code, { timeout });
    assertMatch(failed.status, RegExp(`^(${status})$`), failed.text);
    assertEquals((await server.call("6 * 7")).returnValue, 42, code);
  }
});

behindWall("nothing is left when the launcher is killed", async () => {
  const server = await startServer(BWRAP);
  assertEquals((await server.call("1")).returnValue, 1);
  server.call("while True: pass").catch(() => {});
  const family = [server.pid, ...descendants(server.pid)];
  assert(family.length >= 5, String(family));
  Deno.kill(server.pid, "SIGKILL");
  assertEquals(await whichOutlive(family), []);
  await server.client.close();
});

behindWall(
  "a sandbox that only the launcher knows by its wall is killed whole",
  async () => {
    const process = startSandbox(baseFolder(CACHE));
    await firstLine(process);
    const family = [process.pid, ...descendants(process.pid)];
    assertEquals(family.length, 3);
    process.kill("SIGKILL");
    await process.status;
    assertEquals(await whichOutlive(family), []);
    await process.stdin.close().catch(() => {});
    await process.stdout.cancel();
  },
);

behindWall(
  "a sandbox holds its environment, though it can only read it",
  async () => {
    await using cache = await makeCache();
    const folder = baseFolder(cache.folder);
    assertEquals(isInUse(folder), false);
    const process = startSandbox(folder);
    await firstLine(process);
    assertEquals(isInUse(folder), true);
    await process.stdin.close();
    await process.status;
    assertEquals(isInUse(folder), false);
    await process.stdout.cancel();
  },
);

behindWall("any path will do", async () => {
  const parent = await Deno.makeTempDir({ prefix: "mcp run python 'é-" });
  const link = join(parent, "--link");
  await Deno.mkdir(join(parent, "real"));
  await Deno.symlink(join(parent, "real"), link);
  const args = ["--cache-dir", link, ...BWRAP, "run", "-c", "print(6 * 7)"];
  const { code, stdout, stderr } = await command(args);
  assertEquals([code, stdout], [0, "42\n"], stderr);
  await Deno.remove(parent, { recursive: true });
});

const pyodide027 = await getPyodide027();

Deno.test({
  name: "second wall: another Pyodide runs behind it",
  ignore: ignore || !("folder" in pyodide027),
  async fn() {
    const folder = "folder" in pyodide027 ? pyodide027.folder : "";
    const args = ["--pyodide", folder, ...BWRAP, "run", "-c"];
    const { stdout, stderr } = await command([
      ...args,
      "import sys; print(*sys.version_info[:2])",
    ]);
    assertEquals(stdout, "3 12\n", stderr);
  },
});

behindWall("packages are imported for the first time behind it", async () => {
  await using cache = await makeCache();
  await using index = startIndex([wheel({ name: "mrp-fixture-walled" })]);
  const server = startServer([
    ...["--cache-dir", cache.folder, "--index-url", index.url],
    ...["--deps", "mrp-fixture-walled", ...BWRAP],
  ]);
  const seen = new Set<string>();
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      for (const line of descendants(Deno.pid).map(commandLine)) {
        if (!line.includes("/src/preloader/main.ts")) continue;
        if (line.includes(cache.folder)) {
          seen.add(basename(line.split(" ")[0] ?? ""));
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  // A server is up before its packages are there.
  await using started = await server.catch((error) => {
    isDone = true;
    throw error;
  });
  const { returnValue } = await started.call(
    "import sys; 'mrp_fixture_walled' in sys.modules",
  ).finally(() => isDone = true);
  await watching;
  assertEquals(returnValue, true);
  assert(seen.has("bwrap"), [...seen].join());
});

Deno.test("--isolation bwrap is an error where there is no bwrap, with the remedy", async () => {
  const { code, stderr } = await command([...BWRAP, "run", "-c", "1"], {
    env: { PATH: "/nowhere" },
  });
  assertEquals(code, 1, stderr);
  assertMatch(stderr, /^error: Cannot use --isolation bwrap: .*bubblewrap/);
  assertEquals(stderr.trim().split("\n").length, 1, stderr);
});

Deno.test({
  name: "--isolation bwrap is an error where bwrap does not work",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using bwrap = await fakeBwrap("echo bwrap: no namespace >&2; exit 1");
    const { code, stdout, stderr } = await command(
      [...BWRAP, "run", "-c", "print(1)"],
      { env: { PATH: bwrap.searchPath } },
    );
    assertEquals([code, stdout], [1, ""], stderr);
    assertMatch(stderr, /bwrap does not work here: bwrap: no namespace\. It/);
  },
});

Deno.test("--isolation auto does without, and says so in one line", async () => {
  const { code, stdout, stderr } = await command(
    ["--isolation", "auto", "run", "-c", "print(1)"],
    { env: { PATH: "/nowhere" } },
  );
  assertEquals([code, stdout], [0, "1\n"], stderr);
  assertMatch(stderr, /^No second wall around sandboxes: .*\n$/);
});

behindWall(
  "where user namespaces are forbidden, the system's own words are told",
  async () => {
    const inside = [
      "--unshare-user",
      "--disable-userns",
      "--dev-bind",
      "/",
      "/",
    ];
    const program = "program" in found ? found.program : "";
    for (const [isolation, expected] of [["auto", 0], ["bwrap", 1]] as const) {
      const { code, stderr } = await new Deno.Command(program, {
        args: [
          ...inside,
          ...[Deno.execPath(), "run", "-A", CLI, "--cache-dir", CACHE],
          ...["--isolation", isolation, "run", "-c", "1"],
        ],
      }).output();
      const said = new TextDecoder().decode(stderr);
      assertEquals(code, expected, said);
      assertMatch(said, /bwrap does not work here: bwrap: .*namespace/);
    }
  },
);

behindWall("doctor says whether it would work", async () => {
  const args = ["--offline", "doctor"];
  const { stdout } = await command(args);
  assertMatch(stdout, /Second wall\n {2}\S+bwrap works and could be used/);
  const without = await command(args, { env: { PATH: "/nowhere" } });
  assertEquals(without.code, 0);
  assertMatch(without.stdout, /Second wall\n {2}none, there is no bwrap/);
  const wanted = await command([...BWRAP, ...args], {
    env: { PATH: "/nowhere" },
  });
  assertEquals(wanted.code, 1);
});

function placesOf(environment: string) {
  return {
    ...toScopePaths(dirname(dirname(environment)), [NPM_PYODIDE.folder]),
    environment: [environment],
  };
}

/** Looks around from where a sandbox of this environment would be. */
async function lookAround(
  environment: string,
  { read = [], write = [], around = wall }: Partial<Order> & { around?: Wall } =
    {},
): Promise<Seen> {
  await using listener = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response(),
  );
  const order: Order = {
    read,
    write,
    port: listener.addr.port,
    pid: Deno.pid,
  };
  const places = placesOf(environment);
  const [program = "", ...args] = [
    ...around({ ...places, program: [...places.program, LOOK] }),
    Deno.execPath(),
  ];
  const { stdout, stderr } = await new Deno.Command(program, {
    args: [
      ...[...args, "run", "--allow-all", "--cached-only"],
      ...[LOOK, JSON.stringify(order)],
    ],
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert(text !== "", new TextDecoder().decode(stderr));
  return JSON.parse(text);
}

function startSandbox(environment: string): Deno.ChildProcess {
  const places = placesOf(environment);
  const process = spawn("sandbox", {
    places,
    wall: wall(places),
    argument: {
      ...{ engine: { host: ENGINE.host.href }, runtime: NPM_PYODIDE },
      ...{ environment, memoryMiB: 256 },
    },
    logs: true,
  });
  return process;
}

/** Tells a sandbox its token and its setup, and reads its first line. */
async function firstLine(process: Deno.ChildProcess): Promise<void> {
  const writer = process.stdin.getWriter();
  const setup = encodeMessage({ type: "setup", setup: SETUP });
  await writer.write(new TextEncoder().encode(`token\n${setup}\n`));
  writer.releaseLock();
  const reader = process.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  assertMatch(new TextDecoder().decode(value), /^token\{"type":"ready"\W/);
}

function commandsBelow(pid: number): string[][] {
  return descendants(pid).map((id) =>
    Deno.readTextFileSync(`/proc/${id}/cmdline`).split("\0").slice(0, -1)
  );
}
