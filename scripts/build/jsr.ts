import { join } from "node:path";
import { writeLibrary } from "./library.ts";
import {
  ROOT,
  run,
  writeJson,
} from "../../src/launcher/bundling/write_program.ts";

/**
 * Makes the package for JSR, and has Deno check it as it would before publishing.
 *
 * @param folder An empty folder.
 */
export async function buildJsr(folder: string): Promise<void> {
  const version = await writeLibrary(folder);
  const { name, license } = JSON.parse(
    await Deno.readTextFile(join(ROOT, "deno.json")),
  );
  await writeJson(join(folder, "deno.json"), {
    ...{ name, version, license },
    exports: { ".": "./src/mod.ts", "./cli": "./cli.ts" },
  });
  await Deno.writeTextFile(
    join(folder, "cli.ts"),
    'import "./src/library/cli.ts";\n',
  );
  await Deno.copyFile(join(ROOT, "README.md"), join(folder, "README.md"));
  const check = ["publish", "--dry-run", "--allow-dirty"];
  await run(Deno.execPath(), check, { cwd: folder });
}
