import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Ended, toEnded } from "./command.ts";
import { tempFolder } from "./folder.ts";

const ROOT = fileURLToPath(import.meta.resolve("../../"));
/** All that the command reads of this project. */
const PARTS = ["cli.ts", "deno.json", "deno.lock", "deps", "src"];

/** A copy of the program as a later version; removed at the end. */
export interface OtherVersion extends AsyncDisposable {
  /** The command's entry. */
  cli: string;
  /** Gives the file of a module's path in `src/`. */
  at(path: string): string;
  /** Runs Deno in its folder. */
  deno(args: string[]): Promise<Ended>;
  /** Adds a text to such a file. */
  append(path: string, text: string): Promise<void>;
}

/** Copies the program, and gives the copy another version. */
export async function makeOtherVersion(
  version: string,
): Promise<OtherVersion> {
  const folder = await tempFolder();
  for (const part of PARTS) {
    await cp(join(ROOT, part), join(folder.path, part), { recursive: true });
  }
  const config = join(folder.path, "deno.json");
  const own = JSON.parse(await Deno.readTextFile(config));
  await Deno.writeTextFile(config, JSON.stringify({ ...own, version }));
  const at = (path: string) => join(folder.path, "src", path);
  return {
    cli: join(folder.path, "cli.ts"),
    at,
    async deno(args) {
      const env = { NO_COLOR: "1" };
      const options = { args, cwd: folder.path, env };
      return toEnded(await new Deno.Command(Deno.execPath(), options).output());
    },
    append: (path, text) =>
      Deno.writeTextFile(at(path), text, { append: true }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
