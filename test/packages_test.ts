/**
 * The packages of the registries: each is built, installed into an environment
 * that has nothing else, with an empty home, and runs.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { buildJsr } from "../scripts/build/jsr.ts";
import { buildNpm } from "../scripts/build/npm.ts";
import { buildPython } from "../scripts/build/python.ts";
import { run } from "../src/launcher/bundling/run.ts";
import { START } from "../src/launcher/bundling/start.ts";
import { makeVenv } from "../scripts/build/venv.ts";
import { log } from "../src/log.ts";
import { VERSION } from "../src/version.ts";
import { findPython } from "./bench/figures/plain_python.ts";
import { CACHE } from "./support/command.ts";
import { emptyHome } from "./support/empty_home.ts";
import { namesIn, tempFolder } from "./support/folder.ts";

const NO_PYTHON = await findPython() === undefined && "there is no python3";
if (NO_PYTHON) log(`skipped: the package for Python: ${NO_PYTHON}`);
const NO_NPM = await run("npm", ["--version"])
  .then(() => false, () => "there is no npm");
if (NO_NPM) log(`skipped: the package for npm: ${NO_NPM}`);
/** The oldest Node of the library. */
const NODE = "node@22.23.3";
const EXAMPLE = ["--deps", "pydantic", "example"];
const WORKS = /pydantic [\d.]+ read City\(name=/;

Deno.test({
  name: "the wheel installs into an empty environment, and runs its example",
  ignore: Boolean(NO_PYTHON),
  async fn(test) {
    await using folder = await tempFolder();
    const [built, home] = await folder.make("built", "home");
    const names = await buildPython(built);
    const wheel = names.find((name) => name.endsWith(".whl")) ?? "";
    assertEquals(names.toSorted(), [
      wheel,
      `mcp_run_python-${VERSION}.tar.gz`,
    ]);
    const { bin } = await makeVenv(join(folder.path, "venv"), [
      join(built, wheel),
    ]);
    const command = join(bin, "mcp-run-python");
    const alone = emptyHome(home, bin);
    await test.step("the example", async () => {
      assertMatch(await run(command, EXAMPLE, alone), WORKS);
    });
    await test.step("offline after that, with exit codes passed on", async () => {
      const code = "import pydantic; raise SystemExit(pydantic.__name__)";
      const { code: exitCode, stderr } = await new Deno.Command(command, {
        args: ["--offline", "--deps", "pydantic", "run", "-c", code],
        ...alone,
      }).output();
      assertEquals([exitCode, new TextDecoder().decode(stderr)], [
        ...[1, "pydantic\n"],
      ]);
    });
    await test.step("a bundle of it", async () => {
      const bundle = join(folder.path, "bundle");
      const deps = ["--offline", "--deps", "pydantic"];
      await run(command, [...deps, "bundle", bundle], alone);
      const bare = { clearEnv: true, env: { PATH: "/usr/bin:/bin" } };
      assertMatch(
        await run(join(bundle, START.name), ["example"], bare),
        WORKS,
      );
    });
  },
});

Deno.test({
  name: "the npm package installs into an empty prefix, and runs by Node alone",
  ignore: Boolean(NO_NPM),
  async fn(test) {
    await using folder = await tempFolder();
    const [built, home, prefix] = await folder.make("built", "home", "prefix");
    await buildNpm(built);
    // npm leaves out what it would not publish.
    const pack = ["pack", "--pack-destination", folder.path];
    await run("npm", pack, { cwd: built });
    const tarball = (await namesIn(folder.path))
      .find((name) => name.endsWith(".tgz"));
    assert(tarball);
    await run("npm", [
      ...["install", "--prefix", prefix, "--no-audit", "--no-fund"],
      ...[join(folder.path, tarball), NODE],
    ]);
    const bin = join(prefix, "node_modules/.bin");
    const alone = emptyHome(home, `${bin}:${Deno.env.get("PATH")}`, {
      MCP_RUN_PYTHON_CACHE: CACHE,
    });
    await test.step("the example", async () => {
      const command = join(bin, "mcp-run-python");
      assertMatch(await run(command, EXAMPLE, alone), WORKS);
      const caches = await namesIn(join(home, ".cache"));
      assert(caches.includes("deno"), `${caches}`);
    });
    await test.step("the library, in Node", async () => {
      const path = join(prefix, "program.mjs");
      await Deno.writeTextFile(
        path,
        `import { createSandbox } from "mcp-run-python";
const sandbox = await createSandbox({ offline: true });
const { value, files } = await sandbox.run("open('a', 'w').write('b')");
console.log(process.versions.node, value, files.a);
await sandbox.close();`,
      );
      assertEquals(
        await run(join(bin, "node"), [path], alone),
        `${NODE.slice(5)} 1 Uint8Array(1) [ 98 ]\n`,
      );
    });
  },
});

Deno.test("the form that JSR publishes runs as remote modules", async () => {
  await using folder = await tempFolder();
  const [built, home] = await folder.make("built", "home");
  await buildJsr(built);
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      const type = pathname.endsWith(".ts") ? "application/typescript" : "";
      const bytes = await Deno.readFile(join(built, pathname));
      return new Response(bytes, { headers: { "content-type": type } });
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}/cli.ts`;
  const alone = emptyHome(home, "", {
    ...{ DENO_DIR: join(home, "deno"), MCP_RUN_PYTHON_CACHE: CACHE },
  });
  const args = ["run", "-A", url, ...EXAMPLE];
  assertMatch(await run(Deno.execPath(), args, alone), WORKS);
});
