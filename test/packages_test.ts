/**
 * The packages of the registries: each is built, installed into an environment
 * that has nothing else, with an empty home, and runs.
 *
 * @module
 */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../deps/assert.ts";
import { buildJsr } from "../scripts/build/jsr.ts";
import { buildNpm } from "../scripts/build/npm.ts";
import { buildPython } from "../scripts/build/python.ts";
import { runUv } from "../scripts/build/uv.ts";
import { messageOf } from "../src/errors.ts";
import { log } from "../src/log.ts";
import { VERSION } from "../src/version.ts";
import { findPython } from "./bench/figures/plain_python.ts";
import { ERAS } from "./support/client.ts";
import { REAL_DEPS, VARIABLES } from "./support/command.ts";
import { emptyHome } from "./support/empty_home.ts";
import { readExamples } from "./support/examples.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { serveBy } from "./support/http_server.ts";
import { programsOf } from "./support/npm_packages.ts";
import { descendants, whichOutlive } from "./support/processes.ts";
import { useAll } from "./support/use_all.ts";
import { ROOT, run } from "../src/launcher/bundling/write_program.ts";
import { START } from "../src/launcher/bundling/write_bundle.ts";

const NO_PYTHON = await findPython() === undefined && "there is no python3";
if (NO_PYTHON) log(`skipped: the package for Python: ${NO_PYTHON}`);
/** Node of this machine, which README asks for. */
const node = await run("node", ["--version"]).then(
  (text) => ({ version: text.trim() }),
  (error) => ({ reason: messageOf(error) }),
);
const NO_NPM = "reason" in node && node.reason;
if (NO_NPM) log(`skipped: the package for npm: ${NO_NPM}`);
const NO_PROC = Deno.build.os !== "linux" && "needs /proc to find processes";
if (NO_PROC) log(`skipped: what a killed program of Node leaves: ${NO_PROC}`);
/** A framework for servers in Node. */
const HONO = ["hono@4.13.19", "@hono/node-server@2.1.8"];
const EXAMPLE = ["--deps", REAL_DEPS, "example"];
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
    const venv = join(folder.path, "venv");
    await runUv(["venv", "--python", "python3", venv]);
    await runUv(["pip", "install", "--python", venv, join(built, wheel)]);
    const bin = join(venv, Deno.build.os === "windows" ? "Scripts" : "bin");
    const command = join(bin, "mcp-run-python");
    const alone = emptyHome(home, bin, VARIABLES);
    await test.step("the example", async () => {
      assertMatch(await run(command, EXAMPLE, alone), WORKS);
    });
    await test.step("offline after that, with exit codes passed on", async () => {
      const code = "import pydantic; raise SystemExit(pydantic.__name__)";
      const { code: exitCode, stderr } = await new Deno.Command(command, {
        args: ["--offline", "--deps", REAL_DEPS, "run", "-c", code],
        ...alone,
      }).output();
      assertEquals([exitCode, new TextDecoder().decode(stderr)], [
        ...[1, "pydantic\n"],
      ]);
    });
    await test.step("a bundle of it", async () => {
      const bundle = join(folder.path, "bundle");
      const deps = ["--offline", "--deps", REAL_DEPS];
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
  name: "pip installs the repository's folder",
  ignore: Boolean(NO_PYTHON),
  async fn(test) {
    await using folder = await tempFolder();
    const venv = join(folder.path, "venv");
    await runUv(["venv", "--seed", "--python", "python3", venv]);
    const bin = join(venv, Deno.build.os === "windows" ? "Scripts" : "bin");
    const pip = ["-m", "pip", "install", "--quiet", "--no-input"];
    const install = (from: string) =>
      run(join(bin, "python"), [...pip, from], { cwd: folder.path });
    await test.step("whose command starts", async () => {
      await install(join(ROOT, "python"));
      const args = ["run", "-c", "print(6 * 7)"];
      const options = { cwd: folder.path, env: VARIABLES };
      const command = join(bin, "mcp-run-python");
      assertEquals(await run(command, args, options), "42\n");
    });
    await test.step("not without the repository around it", async () => {
      const [alone] = await folder.make("alone");
      await cp(join(ROOT, "python"), alone, { recursive: true });
      await assertRejects(() => install(alone), { message: /deno task build/ });
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
      ...[join(folder.path, tarball), ...HONO],
    ]);
    const bin = programsOf(prefix);
    assert("version" in node);
    const alone = emptyHome(home, `${bin}:${Deno.env.get("PATH")}`, {
      ...VARIABLES,
    });
    await test.step("its README leads to the repository", async () => {
      const [text, about] = await Promise.all(
        ["README.md", "package.json"].map((name) =>
          Deno.readTextFile(join(prefix, "node_modules/mcp-run-python", name))
        ),
      );
      const links = [...`${text}`.matchAll(/\]\(([^)]+)\)|src="([^"]+)"/g)]
        .map(([, link, source]) => link ?? source);
      assert(links.length > 20, `${links}`);
      assertEquals(links.filter((link) => !link?.startsWith("https:")), []);
      assertMatch(`${about}`, /"url": "git\+https:.*\.git"/);
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
console.log(process.version, value, files.a);
const run = await sandbox.run("print('on')\\nwhile True: pass", { wait: 0 });
console.log(run.status, await run.output().next());
await run.cancel();
await sandbox.close();`,
      );
      assertEquals(
        await run("node", [path], alone),
        `${node.version} 1 Uint8Array(1) [ 98 ]
running { value: 'on', done: false }
`,
      );
    });
    await test.step("a server in another one, in Node", async () => {
      const path = join(prefix, "server.mjs");
      const [text = ""] = readExamples("js");
      await Deno.writeTextFile(path, text);
      await using server = await serveBy("node", { ...alone, args: [path] });
      const stranger = await server.fetch();
      assertEquals([stranger.status, await stranger.text()], [
        ...[401, "Log in first."],
      ]);
      for (const era of ERAS) {
        const ada = { token: "token-of-ada" };
        await using client = await server.connect(era, ada);
        await useAll(client);
      }
      const family = NO_PROC ? [] : descendants(server.pid);
      Deno.kill(server.pid, "SIGKILL");
      await server.ended;
      assertEquals(await whichOutlive(family), []);
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
    ...{ DENO_DIR: join(home, "deno"), ...VARIABLES },
  });
  const args = ["run", "-A", url, ...EXAMPLE];
  assertMatch(await run(Deno.execPath(), args, alone), WORKS);
});
