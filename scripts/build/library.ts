import { dirname, join, relative } from "node:path";
import { readGraph, ROOT, writeProgram } from "./program.ts";

const PACKAGED = "src/library/packaged.ts";
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
  for (const file of files) {
    const to = join(folder, relative(ROOT, file));
    await Deno.mkdir(dirname(to), { recursive: true });
    await Deno.copyFile(file, to);
  }
  await Deno.copyFile(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  const program = await readProgram();
  const text = JSON.stringify(program, null, 1);
  const { version } = JSON.parse(program["deno.json"] ?? "");
  const bytes = new TextEncoder().encode(text);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const id = `${version}-${hash.slice(0, 8).toHex()}`;
  await Deno.writeTextFile(
    join(folder, "src/library/packaged_files.ts"),
    `/** Contents by path. */
export const FILES: Readonly<Record<string, string>> = ${text};
`,
  );
  const packaged = await Deno.readTextFile(join(ROOT, PACKAGED));
  await Deno.writeTextFile(
    join(folder, PACKAGED),
    packaged.slice(0, packaged.indexOf("\n/**\n * Undefined")) + `
/** The program of this package. */
export const PACKAGED: Packaged = {
  id: "${id}",
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
  const folder = await Deno.makeTempDir();
  try {
    const paths = await writeProgram(folder);
    return Object.fromEntries(
      await Promise.all(paths.map(async (path) => {
        const bytes = await Deno.readFile(join(folder, path));
        const isText = !path.endsWith(".whl");
        return [
          path,
          isText ? new TextDecoder().decode(bytes) : bytes.toBase64(),
        ];
      })),
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
