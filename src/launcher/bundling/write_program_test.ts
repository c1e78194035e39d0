import { join } from "node:path";
import { assert, assertEquals } from "../../../deps/assert.ts";
import { tempFolder } from "../../../test/support/folder.ts";
import { writeProgram } from "./write_program.ts";

Deno.test("writeProgram() writes what runs, and nothing of development", async () => {
  await using folder = await tempFolder();
  const [program] = await folder.make("program");
  const paths = await writeProgram(program);
  assertEquals(paths, paths.toSorted());
  for (
    const path of [
      "LICENSE",
      "cli.ts",
      "deno.json",
      "deno.lock",
      "deps/jco/LICENSE",
      "deps/jco/bindgen.core1.wasm.gz",
      "deps/jco/bindgen.js",
      "deps/jco/wasi.js",
      "deps/wheels/micropip-0.11.1-py3-none-any.whl",
      "deps/wheels/tzdata-2026.6-py2.py3-none-any.whl",
      "src/component/translate_worker.ts",
      "src/component/worker/worker.ts",
      "src/engines/monty/artefact.json",
      "src/engines/monty/monty.wasm.gz",
      "src/engines/monty/worker/worker.ts",
      "src/engines/pyodide/runner/runner.py",
      "src/engines/pyodide/worker/mounting_worker.ts",
      "src/frames/framed_page.html",
      "src/frames/guard.html",
      "src/page/bundle/page.js",
      "src/sandbox/main.ts",
    ]
  ) assert(paths.includes(path), path);
  assertEquals(paths.filter((path) => /_test\.ts$|^test|^docs/.test(path)), []);
  for (const name of ["deno.json", "deno.lock"]) {
    const text = await Deno.readTextFile(join(program, name));
    assert(text.includes("npm:zod@"), name);
    assert(!text.includes("fast-check"), name);
  }
  // In a folder such as /tmp, others can write this file.
  await Deno.writeTextFile(
    join(folder.path, "deno.json"),
    JSON.stringify({ workspace: ["./program"], nodeModulesDir: "manual" }),
  );
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--frozen", join(program, "cli.ts"), "--version"],
  }).output();
  const { version } = JSON.parse(
    await Deno.readTextFile(join(program, "deno.json")),
  );
  assertEquals([success, new TextDecoder().decode(stdout)], [
    true,
    `${version}\n`,
  ]);
});
