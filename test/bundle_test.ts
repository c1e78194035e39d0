/**
 * The folder that `bundle` writes: moved, read-only, owned by another user,
 * without a home, variables and a network.
 *
 * @module
 */
import { join } from "node:path";
import { StdioClientTransport } from "../deps/mcp_client.ts";
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { connectBy } from "./support/client.ts";
import { makeCache } from "./support/cache.ts";
import { CLI } from "./support/command.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { otherUser } from "./support/other_user.ts";
import { wheel } from "./support/wheel.ts";
import { run } from "../src/launcher/bundling/write_program.ts";
import { START } from "../src/launcher/bundling/write_bundle.ts";

const PACKAGE = wheel({
  name: "mrp-fixture-a",
  files: { "mrp_fixture_a/__init__.py": "ANSWER = 42" },
});
const ASK = "import mrp_fixture_a; mrp_fixture_a.ANSWER";

Deno.test("a bundle serves moved, read-only, and without a network", async (test) => {
  await using cache = await makeCache();
  await using folder = await tempFolder();
  const [links, made, home] = await folder.make("links", "made", "home");
  const { filename, bytes } = PACKAGE;
  await Deno.writeFile(join(links, filename), bytes);
  const here = join(made, "bundle");
  const args = [
    ...[
      "--find-links",
      links,
      "--deps",
      "mrp-fixture-a",
      "--sessions",
      "always",
    ],
    ...["--max-output", "5000", "bundle", here],
  ];

  await test.step("one that is interrupted leaves nothing", async () => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", CLI, "--cache-dir", cache.folder, ...args],
      ...{ stdin: "null", stdout: "null", stderr: "piped" },
    }).spawn();
    let stderr = "";
    let isTold = false;
    const texts = child.stderr.pipeThrough(new TextDecoderStream());
    for await (const text of texts) {
      stderr += text;
      if (isTold || !stderr.includes("Copying the program")) continue;
      child.kill("SIGINT");
      isTold = true;
    }
    assertEquals((await child.status).code, 1, stderr);
    assertMatch(stderr, /^error: Cannot write the bundle ".*": it was interr/m);
    assertEquals(await namesIn(made), []);
  });

  await test.step("it has the options that were given, and no path of here", async () => {
    const { code, stdout, stderr } = await cache.command(args);
    assertEquals(code, 0, stderr);
    assertMatch(stdout, /^Wrote \d{2,3}\.\d MiB to .*bundle: mcp-run-python/);
    assertEquals(await namesIn(made), ["bundle"]);
    assertEquals(
      await Deno.readTextFile(join(here, "options.toml")),
      `# Paths are relative to this folder.
deps = [ "mrp-fixture-a==1.0" ]
max-output = 5000
sessions = "always"
`,
    );
    const names = await namesIn(join(here, "deno-dir"));
    assertEquals(names, ["npm"]);
  });

  await test.step("a folder that has files is left alone", async () => {
    const { code, stderr } = await cache.command(args);
    assertEquals(code, 2);
    assertMatch(stderr, /with .* in it\. Name a folder that is not there\.$/m);
  });

  const moved = join(folder.path, "moved here");
  await Deno.rename(here, moved);
  await Deno.chmod(folder.path, 0o755);
  await run("chmod", ["-R", "a-w,a+rX", moved]);
  const isRoot = Deno.uid() === 0;
  const wall = isRoot ? ["unshare", "--net"] : [];
  if (!isRoot) {
    log(
      "skipped: a bundle without any network: these tests are not run by root",
    );
  }
  // Leads Deno to other folders of npm packages, where a bundle has none.
  const npmrc = "registry=https://mirror.invalid/\n";
  await Deno.writeTextFile(join(home, ".npmrc"), npmrc);
  // The other user may not enter the folder of the project.
  const nowhere = "https_proxy=http://127.0.0.1:9";
  const bundle = (...words: string[]) => [
    ...[...wall, ...otherUser("65534:65534"), "env", "-i"],
    ...["PATH=/usr/bin:/bin", `HOME=${home}`, nowhere],
    ...[join(moved, START.name), ...words],
  ];

  await test.step("the example", async () => {
    const [program = "", ...rest] = bundle("example");
    assertMatch(
      await run(program, rest, { cwd: home }),
      /import mrp_fixture_a/,
    );
  });
  await test.step("run, by a link to its file, with more options", async () => {
    const link = join(folder.path, "linked");
    await Deno.symlink(join(moved, START.name), link);
    const words = ["run", "--return-mode=value", "--timeout", "30", "-c", ASK];
    const [program = "", ...rest] = bundle(...words)
      .map((word) => word === join(moved, START.name) ? link : word);
    assertEquals(await run(program, rest, { cwd: home }), "42\n");
  });
  await test.step("stdio, if no command is named", async () => {
    const [command = "", ...rest] = bundle();
    const transport = new StdioClientTransport({
      ...{ command, args: rest, cwd: home },
    });
    await using client = await connectBy(transport, "2025-11-25");
    assertEquals((await client.call("kept = 6")).status, "success");
    assertEquals((await client.call(`${ASK} * kept`)).returnValue, 252);
  });
  assertEquals(await namesIn(home), [".npmrc"]);
  await run("chmod", ["-R", "u+w", moved]);
});
