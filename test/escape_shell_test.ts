/**
 * Ways out of a run for a shell, through the calls that its launcher answers.
 *
 * @module
 */
import { join } from "node:path";
import { assertEquals } from "../deps/assert.ts";
import { sha256 } from "../src/environments/environment.ts";
import { baseFolder, makeCache } from "./support/cache.ts";
import { command } from "./support/command.ts";
import { tempFolder } from "./support/folder.ts";

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
