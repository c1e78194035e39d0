import { join } from "node:path";
import { run } from "../../src/launcher/bundling/run.ts";
import { messageOf } from "../../src/errors.ts";
import { makeOnce } from "./make_once.ts";

/** The oldest Node of the library, as a package. */
export const NODE = "node@22.23.3";

/**
 * Gives a folder with packages of npm; installs them once.
 *
 * @param requirements With exact versions.
 * @returns The reason, if they cannot be had.
 */
export async function getNpmPackages(
  ...requirements: string[]
): Promise<{ folder: string } | { reason: string }> {
  const name = `npm-${requirements.join("+").replaceAll("/", "-")}`;
  try {
    return { folder: await makeOnce(name, (draft) => fill(draft)) };
  } catch (error) {
    return { reason: messageOf(error) };
  }

  async function fill(draft: string): Promise<void> {
    await run("npm", [
      ...["install", "--prefix", draft, "--no-audit", "--no-fund"],
      ...requirements,
    ]);
  }
}

/** The folder of the programs that packages bring. */
export function programsOf(folder: string): string {
  return join(folder, "node_modules/.bin");
}
