import { join } from "node:path";
import { assert, assertEquals } from "../../../deps/assert.ts";
import { tempFolder } from "../../../test/support/folder.ts";
import { writeProgram } from "./write_program.ts";

Deno.test("writeProgram() writes what runs, and nothing of development", async () => {
  await using folder = await tempFolder();
  const paths = await writeProgram(folder.path);
  assertEquals(paths, paths.toSorted());
  for (
    const path of [
      "LICENSE",
      "cli.ts",
      "deno.json",
      "deno.lock",
      "deps/wheels/micropip-0.11.1-py3-none-any.whl",
      "src/engines/pyodide/runner/runner.py",
      "src/engines/pyodide/worker/mounting_worker.ts",
      "src/page/bundle/page.js",
      "src/sandbox/main.ts",
    ]
  ) assert(paths.includes(path), path);
  assertEquals(paths.filter((path) => /_test\.ts$|^test|^docs/.test(path)), []);
  for (const name of ["deno.json", "deno.lock"]) {
    const text = await Deno.readTextFile(join(folder.path, name));
    assert(text.includes("npm:zod@"), name);
    assert(!text.includes("fast-check"), name);
  }
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--frozen", join(folder.path, "cli.ts"), "--version"],
  }).output();
  const { version } = JSON.parse(
    await Deno.readTextFile(join(folder.path, "deno.json")),
  );
  assertEquals([success, new TextDecoder().decode(stdout)], [
    true,
    `${version}\n`,
  ]);
});
