/**
 * The caches of a user and of a project, over the real command and a real client.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { DENO_DIR } from "../src/launcher/program_files.ts";
import { log } from "../src/log.ts";
import { addPython, cacheAt } from "./support/cache.ts";
import { CLI, command, WITHOUT_NET } from "./support/command.ts";
import { makeReadOnly, mountDisk, whyNoTmpfs } from "./support/disk.ts";
import { tempFolder } from "./support/folder.ts";
import { startIndex } from "./support/index_server.ts";
import { connectTo } from "./support/server.ts";
import { hash, wheel } from "./support/wheel.ts";

const NO_TMPFS = await whyNoTmpfs();
if (NO_TMPFS) log(`skipped: a user's cache on a read-only disk: ${NO_TMPFS}`);

const good = wheel({ name: "mrp-fixture-good" });
const needy = wheel({
  name: "mrp-fixture-needy",
  requires: ["mrp-fixture-good"],
});
const CODE = "import mrp_fixture_good as it; it.version";

/** A machine with a user's cache that has Python, and a project. */
async function makeMachine(home: string) {
  const root = await tempFolder();
  const [plain, project] = await root.make("plain", "project");
  const user = join(home || root.path, "mcp-run-python");
  const env = { XDG_CACHE_HOME: home || root.path, DENO_DIR };
  await addPython(user);
  await Deno.writeTextFile(join(project, "package.json"), "{}");
  return {
    ...{ plain, project, env, user: cacheAt(user) },
    modules: join(project, "node_modules"),
    projects: cacheAt(
      join(project, "node_modules", ".cache", "mcp-run-python"),
    ),
    command: (cwd: string, args: string[], flags = ["-A"]) =>
      command(args, { cwd, env, flags, findsCache: true }),
    [Symbol.asyncDispose]: () => root[Symbol.asyncDispose](),
  };
}

const exists = (path: string) => Deno.stat(path).then(() => true, () => false);

Deno.test("an environment is found from wherever a client starts, and equal sets of packages are installed once", async (test) => {
  await using machine = await makeMachine("");
  await using index = startIndex([good, needy]);
  const { plain, project, user, projects } = machine;
  const source = ["--index-url", index.url];
  const deps = [...source, "--deps", "mrp-fixture-good"];
  const installed = await machine.command(plain, [...deps, "install"]);
  const [base = "", ...own] = user.entries().toReversed();
  const place = /\nin (\S+)\n$/.exec(installed.stdout)?.[1] ?? "";
  assert(place.startsWith(user.folder), installed.stderr);
  assertEquals([base, ...own].length, 2);

  await test.step("a project below a manifest is served from the user's, without a network", async () => {
    index.requests.length = 0;
    await using server = await connectTo([CLI, ...deps, "+pool=1", "stdio"], {
      cwd: project,
      env: machine.env,
    });
    assertEquals((await server.call(CODE)).returnValue, "1.0");
    assertEquals(index.requests, []);
    assert(!await exists(machine.modules));
  });
  await test.step("no mount can change a cache, also one that is not there yet", async () => {
    for (const mount of [`${user.folder}:/x`, `${project}:/x:rw`]) {
      const args = ["--mount", mount, "run", "-c", "1"];
      const { stderr } = await machine.command(project, args);
      assertMatch(
        stderr,
        /^error: Cannot mount .* which this program runs from/,
      );
    }
  });
  await Deno.mkdir(machine.modules);
  await test.step("so is a project that has node_modules", async () => {
    const args = [
      ...deps,
      "run",
      "-c",
      "import mrp_fixture_good as it; print(it.version)",
    ];
    const run = await machine.command(project, args, WITHOUT_NET);
    assertEquals([run.stdout, run.stderr], ["1.0\n", ""]);
    assert(!await exists(projects.folder));
  });
  await test.step("equal sets are one environment, however they are asked for", async () => {
    const lock = join(plain, "x.lock");
    await machine.command(plain, [...deps, "lock", lock]);
    await Deno.writeFile(join(plain, good.filename), good.bytes);
    const spellings = [
      ["--deps", "MRP_Fixture.Good", ...source],
      ["--deps", "mrp-fixture-good==1.*", ...source],
      ["--locked", lock],
      ["--deps", "mrp-fixture-good", "--find-links", plain, "--offline"],
      ["--deps", `./${good.filename}`],
      ["--deps", `mrp-fixture-good --hash=sha256:${hash(good.bytes)}`]
        .concat(source),
    ];
    index.requests.length = 0;
    for (const spelling of spellings) {
      const { stdout, stderr } = await machine.command(plain, [
        ...[...spelling, "install"],
      ]);
      assert(stdout.endsWith(`\nin ${place}\n`), stdout + stderr);
      assert(!/Compiling|Importing/.test(stderr), stderr);
    }
    assertEquals(user.entries().length, 2);
    // The second start of each resolves nothing.
    const before = index.requests.length;
    assert(!index.requests.some((path) => path.startsWith("/files/")));
    for (const spelling of spellings) {
      const args = [...spelling, "install"];
      const again = await machine.command(plain, args, WITHOUT_NET);
      assertEquals([again.code, again.stderr], [0, ""]);
    }
    assertEquals(index.requests.length, before);
  });
  await test.step("a project takes wheels from the user's by hash, and keeps what is new", async () => {
    index.requests.length = 0;
    const args = [...source, "--deps", "mrp-fixture-needy"];
    const { stdout, stderr } = await machine.command(project, [
      ...[...args, "install"],
    ]);
    assertMatch(stdout, new RegExp(`\nin ${projects.folder}/environments/`));
    assert(stdout.endsWith(`\nNew packages go to ${projects.folder}\n`));
    assertMatch(stderr, /^Downloaded mrp_fixture_needy/m);
    assert(!/Downloaded mrp_fixture_good|Preparing/.test(stderr), stderr);
    const taken = index.requests.filter((path) => path.startsWith("/files/"));
    assertEquals(taken, [`/files/${needy.filename}`]);
    assertEquals([projects.entries().length, user.entries().length], [1, 2]);
  });
  await test.step("doctor and cache tell both", async () => {
    const doctor = await machine.command(project, [
      ...["--offline", ...deps, "doctor"],
    ]);
    assertMatch(
      doctor.stdout,
      new RegExp(
        `Cache\n  ${projects.folder}\n.*\n  takes new packages\n` +
          `  ${user.folder}\n.*\n  is only read\n[^]*\n  ${place}\n`,
      ),
    );
    const dir = await machine.command(project, ["cache", "dir"]);
    assertEquals(
      [dir.stdout, dir.stderr],
      [`${projects.folder}\n`, `Installs also read ${user.folder}\n`],
    );
    const list = await machine.command(plain, ["cache", "list"]);
    assert(!list.stdout.includes("left alone"), list.stdout);
    const pruned = await machine.command(plain, ["cache", "prune"]);
    assertEquals(pruned.stdout, "0.0 MiB freed\n");
  });
  await test.step("a cache that is named is the only one", async () => {
    const named = join(plain, "named");
    const args = ["--cache-dir", named, "--offline", ...deps, "install"];
    const { stderr } = await machine.command(project, args);
    assertMatch(stderr, /Preparing Python[^]*error: Cannot/);
  });
  await test.step("a wheel that is built anew is installed, though its folder is the same", async () => {
    const other = wheel({ name: "mrp-fixture-good", version: "1.1" });
    await Deno.writeFile(join(plain, other.filename), other.bytes);
    const args = ["--deps", "mrp-fixture-good", "--find-links", plain];
    const { stdout } = await machine.command(plain, [...args, "install"]);
    assertMatch(stdout, /^mrp-fixture-good 1\.1$/m);
  });
});

Deno.test({
  name:
    "a user's cache on a read-only disk gives a project its environment, Python and wheels",
  ignore: Boolean(NO_TMPFS),
  async fn() {
    await using disk = await mountDisk("size=1g");
    await using machine = await makeMachine(disk.folder);
    await using index = startIndex([good, needy]);
    const { plain, project } = machine;
    const source = ["--index-url", index.url];
    const deps = [...source, "--deps", "mrp-fixture-good"];
    const first = await machine.command(plain, [...deps, "install"]);
    assertEquals(first.code, 0, first.stderr);
    await Deno.mkdir(machine.modules);
    await makeReadOnly(disk.folder);
    const run = await machine.command(project, [
      ...[...deps, "run", "-c", "import mrp_fixture_good"],
    ]);
    assertEquals([run.code, run.stderr], [0, ""]);
    const needs = [...source, "--deps", "mrp-fixture-needy", "install"];
    const more = await machine.command(project, needs);
    assertMatch(more.stdout, /\nin \S+node_modules/, more.stderr);
    assert(!/Downloaded mrp_fixture_good|Preparing/.test(more.stderr));
  },
});
