/**
 * Runs tests with the files of Pyodide as they are, in a cache of its own: what
 * holds with linked files must hold without them. Arguments: those of
 * `deno test`.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ENVIRONMENT_FILES } from "../src/engines/pyodide/versions.ts";
import {
  Draft,
  maybeOpenEnvironment,
  unsealEnvironment,
} from "../src/environments/environment.ts";
import { unlink } from "../src/installer/linked_files.ts";

const CACHE = fileURLToPath(
  import.meta.resolve("../.cache/test-unlinked"),
);
Deno.env.set("TEST_CACHE", CACHE);
const { baseFolder, ensurePython } = await import("../test/support/cache.ts");

await ensurePython();
await unlinkBase(baseFolder(CACHE));
const { code } = await new Deno.Command(Deno.execPath(), {
  args: ["test", "-A", "--parallel", ...Deno.args],
}).spawn().status;
Deno.exit(code);

/** Publishes an environment anew, without its linked files. */
async function unlinkBase(folder: string): Promise<void> {
  const environment = maybeOpenEnvironment(folder);
  if (!environment?.files[ENVIRONMENT_FILES.linkedWasm]) return;
  const { folder: _, files, ...manifest } = environment;
  await using draft = new Draft(folder);
  for (const name of Object.keys(files)) {
    await draft.write({ [name]: await Deno.readFile(join(folder, name)) });
  }
  await unlink(draft, "a test wants it so");
  await unsealEnvironment(folder);
  await draft.publish(manifest);
}
