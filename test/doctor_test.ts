/**
 * `doctor` over real caches, sources and walls: it ends with 1 if a server with
 * its options would not work, and names the cause.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { cacheAt, ensurePython, makeCache } from "./support/cache.ts";
import { CACHE, command, WITHOUT_NET } from "./support/command.ts";
import { mountDisk, whyNoTmpfs } from "./support/disk.ts";
import { tempFolder } from "./support/folder.ts";
import { startIndex } from "./support/index_server.ts";
import { wheel } from "./support/wheel.ts";

const NO_TMPFS = await whyNoTmpfs();
if (NO_TMPFS) log(`skipped: doctor on a read-only disk: ${NO_TMPFS}`);

Deno.test("doctor says what is there, tries Python, and touches no network if told not to", async () => {
  await ensurePython();
  const { code, stdout, stderr } = await command(["--offline", "doctor"], {
    flags: WITHOUT_NET,
    env: { MCP_RUN_PYTHON_CACHE: "/not/this" },
  });
  const sections = stdout.match(/^\S.*$/gm);
  assertEquals(sections, [
    "Versions",
    "Cache",
    "Sources",
    "Environment of these options",
    "Second wall",
    "What each process may do",
    "Mounts",
    "Grants of Python",
    "Stored sessions",
    "Code mode",
    "Components",
    "Trial run",
    "Result",
  ]);
  assertMatch(stdout, /^ {2}Deno \d+\.\d+\.\d+, V8 /m);
  assert(stdout.includes(`Cache\n  ${CACHE}\n`));
  assertMatch(stdout, /^ {2}[\d.]+ MiB in \d+ environments?$/m);
  assertMatch(stdout, /^ {2}complete, every file as installed$/m);
  assertMatch(stdout, /^ {2}not asked: --offline$/m);
  assertMatch(stdout, /^ {2}installer .* cache +(- +){5}-$/m);
  assertMatch(stdout, /^ {2}worker +glue( +-){7}$/m);
  assertMatch(stdout, /^ {2}linked: fast interpreters$/m);
  assertMatch(stdout, /^ {2}Python starts in \d+\.\d s, 6 \* 7 = 42$/m);
  assertEquals([code, stderr], [0, ""]);
});

Deno.test("doctor --json prints one object", async () => {
  await ensurePython();
  await using folder = await tempFolder();
  const [data, out, store] = await folder.make("data", "out", "store");
  const stored = new Uint8Array(3 << 20);
  await Deno.writeFile(
    join(store, `${"0".repeat(32)}.sessions.${"0".repeat(32)}.value`),
    stored,
  );
  await Deno.chmod(store, 0o700);
  const { code, stdout, stderr } = await command([
    ...["--offline", "--mount", data, "--mount", `${out}:/mnt/x:rw`],
    ...["--session-store", store, "doctor", "--json"],
  ]);
  const { versions, cache, permissions, environment, trial, ...rest } = JSON
    .parse(stdout);
  const isolation = rest.isolation;
  assertEquals(rest, {
    ok: true,
    problems: [],
    sources: null,
    isolation: { ...isolation, asked: "none" },
    mounts: [
      { host: data, guest: "/mnt/data", writable: false },
      { host: out, guest: "/mnt/x", writable: true },
    ],
    grants: [
      "Python reaches no host.",
      `Python may read the folder ${data} and all below it, as /mnt/data.`,
      `Python may read and write the folder ${out} and all below it, as /mnt/x.`,
      "Python finds no variable of this machine.",
      "It has at most 60 s of time, 1024 MiB of memory.",
    ],
    sessions: {
      ...{ folder: store, sessions: 1, bytes: 3 << 20, unreadable: 1 },
      others: [],
      ...{ writable: true, private: true },
    },
    codeMode: null,
    components: null,
  });
  assertEquals(versions.deno, Deno.version.deno);
  assertEquals([cache.folder, cache.damaged], [CACHE, []]);
  assertEquals([environment.state, environment.linked], ["complete", true]);
  assertEquals(Object.keys(permissions), [
    ...["launcher", "installer", "preloader", "server", "keeper"],
    ...["bridge", "sandbox", "worker", "component", "componentWorker"],
    "wrapped",
  ]);
  assertEquals(permissions.worker.read, ["glue", "mounts"]);
  assertEquals(permissions.sandbox.write, ["writableMounts"]);
  assertEquals(permissions.keeper.write, ["kept"]);
  assertEquals([trial.value, trial.complete], [42, true]);
  assertEquals([code, stderr], [0, ""]);
});

Deno.test("doctor counts the MCP servers of code mode, and those that are skipped", async () => {
  await ensurePython();
  await using folder = await tempFolder();
  const path = join(folder.path, "mcp.json");
  const secret = "a-secret-value";
  await Deno.writeTextFile(
    path,
    JSON.stringify({
      mcpServers: {
        time: { command: "uvx", env: { KEY: secret } },
        off: { command: "off", disabled: true },
      },
    }),
  );
  const { stdout } = await command(
    ["--offline", "--mcp-config", path, "doctor"],
  );
  assertMatch(
    stdout,
    /^Code mode\n {2}1 server, 1 skipped\n {2}mcp-run-python servers list /m,
  );
  assert(!stdout.includes(secret));
});

Deno.test("doctor asks all sources at the same time, and waits for none that is silent", async () => {
  await using cache = await makeCache();
  const asked = Promise.withResolvers<undefined>();
  const over = Promise.withResolvers<undefined>();
  await using silent = startIndex([], {
    answers: {
      "/simple/pip/": () => {
        asked.resolve(undefined);
        return over.promise;
      },
    },
  });
  await using index = startIndex([wheel({ name: "pip" })], {
    answers: { "/simple/pip/": () => asked.promise },
  });
  const { code, stdout } = await cache.command([
    ...["--extra-index-url", index.url, "--index-url", silent.url],
    ...["--dist", `${index.origin}/none/`, "doctor"],
  ]);
  over.resolve(undefined);
  const linesOf = ({ url }: { url: string }) =>
    stdout.split("\n").filter((line) =>
      line.startsWith(`  the package index at ${new URL(url).host} `)
    ).map((line) => line.replace(/.*:\d+ /, ""));
  assertEquals(linesOf(index), ["answers"]);
  assertEquals(linesOf(silent), [
    "cannot be used: no answer within 10 seconds",
  ]);
  assertMatch(stdout, /distribution at \S+ cannot be used: .* status 404\n/);
  // What is installed needs no source.
  assertEquals(code, 0);
});

Deno.test("doctor names the reasons why a server would not work", async (test) => {
  await using cache = await makeCache();
  await using index = startIndex([wheel({ name: "mrp-fixture-good" })]);
  const online = ["--index-url", index.url, "--dist", `${index.origin}/none/`];
  const diagnose = async (...args: string[]) => {
    const { code, stdout } = await cache.command([...args, "doctor", "--json"]);
    const { ok, problems, ...found } = JSON.parse(stdout);
    assertEquals(code, ok ? 0 : 1);
    assertEquals(ok, problems.length === 0);
    return { problems, ...found };
  };
  await test.step("not installed, and could be", async () => {
    const { problems, environment, trial } = await diagnose(
      ...[...online, "--deps", "mrp-fixture-good"],
    );
    assertEquals(problems, []);
    const { state, packages: [only, ...more] } = environment;
    assertEquals([state, more, only.name, only.version], [
      ...["not installed", [], "mrp-fixture-good", "1.0"],
    ]);
    assertEquals([trial.value, trial.complete], [42, false]);
  });
  await test.step("a package that no source has", async () => {
    const { problems, trial } = await diagnose(
      ...[...online, "--deps", "mrp-fixture-none"],
    );
    assertEquals(problems.length, 1);
    assertMatch(problems[0], /mrp-fixture-none/);
    assertEquals(trial, null);
  });
  await test.step("sources that are gone, and a wall that is not there", async () => {
    await index[Symbol.asyncDispose]();
    const { code, stdout } = await cache.command([
      ...[...online, "--deps", "mrp-fixture-none", "--isolation", "bwrap"],
      "doctor",
    ], { env: { PATH: "" } });
    assertMatch(
      stdout,
      /\nResult\n {2}The packages are not installed, and no source .* be used\.\n {2}Cannot use --isolation bwrap: there is no bwrap on the PATH\. Install it: /,
    );
    assertMatch(stdout, /Trial run\n {2}not tried, as /);
    assertEquals(code, 1);
  });
  await test.step("a mount of the cache", async () => {
    const { problems } = await diagnose("--offline", "--mount", cache.folder);
    assertEquals(problems.length, 1);
    assertMatch(
      problems[0],
      /^Python does not start: Cannot mount .* it is within .*\.$/,
    );
  });
});

Deno.test({
  name: "doctor says that an install cannot write the cache",
  ignore: Boolean(NO_TMPFS),
  async fn() {
    await using disk = await mountDisk("ro,size=1m");
    const cache = cacheAt(join(disk.folder, "cache"));
    const { code, stdout } = await cache.command(["--offline", "doctor"]);
    assertMatch(
      stdout,
      /Result\n {2}Cannot use the cache in .*: Read-only file/,
    );
    assertEquals(code, 1);
  },
});

Deno.test("escape: an error of a package moves no cursor of doctor's terminal", async () => {
  await using cache = await makeCache();
  const source = 'raise ValueError("a\\x1b]52;c;ZXZpbA==\\x07b\\x9b2J")';
  const rude = wheel({ name: "rude", files: { "rude/__init__.py": source } });
  await using index = startIndex([rude]);
  const options = ["--index-url", index.url, "--deps", "rude"];
  await cache.command([...options, "install"]);
  const { stdout } = await cache.command([...options, "doctor"]);
  assertMatch(
    stdout,
    /cannot be imported: rude: .*a\\u001b\]52;c;ZXZpbA==\\u0007b\\u009b2J/,
  );
  // deno-lint-ignore no-control-regex
  assertEquals(stdout.match(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g), null);
});
