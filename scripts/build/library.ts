import { join } from "node:path";
import { sha256 } from "../../src/disk.ts";
import { tempFolder } from "../../test/support/folder.ts";
import {
  copyFiles,
  readGraph,
  ROOT,
  writeProgram,
} from "../../src/launcher/bundling/write_program.ts";

const MODULES = ["src/mod.ts", "src/library/cli.ts"]
  .map((path) => new URL(`../../${path}`, import.meta.url));

/**
 * Writes the library for TypeScript and the command of packages into a folder, with
 * the program as a module.
 *
 * @returns The version.
 */
export async function writeLibrary(folder: string): Promise<string> {
  const { files } = await readGraph(MODULES);
  const paths = [...files, join(ROOT, "LICENSE")];
  await copyFiles(paths, { from: ROOT, to: folder });
  const program = await readProgram();
  const text = JSON.stringify(program, null, 1);
  const { version } = JSON.parse(program["deno.json"] ?? "");
  const library = join(folder, "src/library");
  await Deno.writeTextFile(
    join(library, "packaged_files.ts"),
    `/** Contents by path. */
export const FILES: Readonly<Record<string, string>> = ${text};
`,
  );
  await Deno.writeTextFile(
    join(library, "packaged.ts"),
    `import type { Packaged } from "./unpack.ts";

/** The program of this package. */
export const PACKAGED: Packaged = {
  id: "${version}-${sha256(text).slice(0, 16)}",
  async files() {
    const { FILES } = await import("./packaged_files.ts");
    return FILES;
  },
};
`,
  );
  return version;
}

/** The program's files, by path. */
async function readProgram(): Promise<Record<string, string>> {
  await using folder = await tempFolder();
  const paths = await writeProgram(folder.path);
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => {
      const bytes = await Deno.readFile(join(folder.path, path));
      const isText = !path.endsWith(".whl");
      return [
        path,
        isText ? new TextDecoder().decode(bytes) : bytes.toBase64(),
      ];
    })),
  );
}
