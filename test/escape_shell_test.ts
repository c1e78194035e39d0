/**
 * Ways out of a run for a shell, through the calls that its launcher answers.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { sha256 } from "../src/disk.ts";
import { baseFolder, makeCache } from "./support/cache.ts";
import { CACHE, CLI, command } from "./support/command.ts";
import { log } from "../src/log.ts";
import { tempFolder } from "./support/folder.ts";
import { PTY, whyNoPty } from "./support/pty.ts";

const NO_PTY = await whyNoPty();
if (NO_PTY) log(`skipped: code speaks to a terminal: ${NO_PTY}`);

Deno.test("escape: the shell's errors do not name its folders", async () => {
  await using temp = await tempFolder();
  await Deno.writeTextFile(
    join(temp.path, "script.py"),
    `from mcp_runner.host_calls import call_sync
for call in ["read_module", "absent.py"], ["list_modules", "absent"], ["list_modules", "script.py"]:
    try: call_sync(*call)
    except Exception as error: print(error)`,
  );
  const script = join(temp.path, "script.py");
  const { stdout, stderr } = await command(["run", script]);
  assertEquals(
    stdout,
    "No such file or directory\nNo such file or directory\nNot a directory\n",
    stderr,
  );
});

Deno.test("escape: a link in a cache that came with a project shows Python no file of the machine", async () => {
  await using cache = await makeCache();
  const secret = join(cache.folder, "secret");
  await Deno.writeTextFile(secret, "s3cret");
  const at = (name: string) => join(baseFolder(cache.folder), name);
  const index = JSON.stringify([["lib/shown", "s3cret".length]]);
  await Deno.writeTextFile(at("packages.json"), index);
  await Deno.remove(at("packages.bin"));
  await Deno.symlink(secret, at("packages.bin"));
  const manifest = JSON.parse(await Deno.readTextFile(at("environment.json")));
  manifest.files["packages.json"].size = index.length;
  manifest.files["packages.bin"].size = "s3cret".length;
  const sealed = JSON.stringify(manifest);
  await Deno.writeTextFile(at("environment.json"), sealed);
  await Deno.writeTextFile(at("complete"), sha256(sealed));
  const code =
    "import os; print(os.path.exists('/lib/shown') and open('/lib/shown').read())";
  const { stdout, stderr } = await cache.command(["run", "-c", code]);
  assertEquals(stdout, "False\n", stderr);
});

Deno.test({
  name: "escape: a terminal that shows code's output does not obey it",
  ignore: Boolean(NO_PTY),
  async fn() {
    const code = `import os, sys
for text in "\\x1b[31mred\\x1b[m ", "\\x1b", "]52;c;ZXZpbA==\\x07 ", "\\x1b[6n \\x9b6n":
    print(text, end="", file=sys.stderr, flush=True)
raise ValueError("\\x1b]0;title\\x07")`;
    const args = ["--cache-dir", CACHE, "run", "-c", code];
    const { stderr } = await new Deno.Command("python3", {
      args: [PTY, Deno.execPath(), "run", "-A", "--quiet", CLI, ...args],
      env: { TERM: "xterm" },
      stdin: "null",
    }).output();
    const shown = new TextDecoder().decode(stderr);
    assert(shown.includes("\x1b[31mred\x1b[m ␛]52;c;ZXZpbA=="));
    assertMatch(shown, /␛\[6n \ufffd6n[^]*ValueError: ␛\]0;title/);
  },
});

Deno.test("escape: an error that quotes a script does not speak to a terminal", async () => {
  const wanted = 'requires-python = "\\u001b]52;c;ZXZpbA==\\u0007\\u009b6n"';
  const code = `# /// script\n# ${wanted}\n# ///`;
  const { code: exitCode, stderr } = await command(["run", "-c", code]);
  assertEquals(exitCode, 2, stderr);
  assertMatch(stderr, /requires-python.*\]52;c;ZXZpbA==/);
  assertMatch(stderr, /^[\P{Cc}\n]*$/u);
});
