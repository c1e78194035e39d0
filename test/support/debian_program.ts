import { join } from "node:path";
import { messageOf } from "../../src/errors.ts";
import { run } from "../../src/launcher/bundling/write_program.ts";
import { makeOnce } from "./make_once.ts";

/**
 * Finds a program on the path, or else in a package of Debian, which is unpacked into
 * the cache of tests, once, and not installed.
 *
 * @returns Its path; the reason, if it cannot be had.
 */
export async function findDebianProgram(
  name: string,
  packageName: string = name,
): Promise<{ path: string } | { reason: string }> {
  for (const folder of PLACES) {
    const path = join(folder, name);
    if (await isFile(path)) return { path };
  }
  try {
    const root = await makeOnce(`debian-${packageName}`, async (draft) => {
      const stage = { cwd: draft };
      // Its own user of downloads may not write here.
      const options = ["-o", "APT::Sandbox::User=root"];
      await run("apt-get", [...options, "download", packageName], stage);
      const files = await Array.fromAsync(Deno.readDir(draft));
      const [file] = files.filter(({ name }) => name.endsWith(".deb"));
      if (!file) throw new Error(`There is no file of ${packageName}`);
      await run("dpkg", ["-x", file.name, "."], stage);
      await Deno.remove(join(draft, file.name));
    });
    for (const folder of ["usr/bin", "usr/sbin"]) {
      const path = join(root, folder, name);
      if (await isFile(path)) return { path };
    }
    return { reason: `the package ${packageName} has no ${name}` };
  } catch (error) {
    return { reason: messageOf(error).split("\n")[0] ?? "" };
  }
}

const PLACES = [
  ...(Deno.env.get("PATH") ?? "").split(":").filter(Boolean),
  ...["/usr/sbin", "/usr/local/sbin"],
];

async function isFile(path: string): Promise<boolean> {
  const found = await Deno.stat(path).catch(() => undefined);
  return found?.isFile ?? false;
}
