import { cp } from "node:fs/promises";
import { join } from "node:path";
import { namesIn, tempFolder } from "../../test/support/folder.ts";
import {
  ROOT,
  writeProgram,
} from "../../src/launcher/bundling/write_program.ts";
import { runUv } from "./uv.ts";

const PROGRAM = "src/mcp_run_python/program";

/**
 * Makes the wheel and the source distribution of the package for Python, with the
 * program in them.
 *
 * @param folder Gets both.
 * @returns The names of the files.
 */
export async function buildPython(folder: string): Promise<string[]> {
  await using temporary = await tempFolder();
  const [stage, made] = await temporary.make("stage", "made");
  await writeStage(stage);
  await runUv(["build", "--no-create-gitignore", "--out-dir", made, stage]);
  const names = await namesIn(made);
  for (const name of names) {
    await Deno.copyFile(join(made, name), join(folder, name));
  }
  return names;
}

async function writeStage(stage: string): Promise<void> {
  for (const name of ["README.md", "pyproject.toml", "src"]) {
    await cp(join(ROOT, "python", name), join(stage, name), {
      recursive: true,
      filter: (path) => !path.includes("__pycache__"),
    });
  }
  await Deno.copyFile(join(ROOT, "LICENSE"), join(stage, "LICENSE"));
  const program = join(stage, PROGRAM);
  await Deno.mkdir(program);
  await writeProgram(program);
  // The version is that of the program, wherever its file is.
  const project = join(stage, "pyproject.toml");
  const text = await Deno.readTextFile(project);
  await Deno.writeTextFile(
    project,
    text.replace('path = "../deno.json"', `path = "${PROGRAM}/deno.json"`),
  );
}
