/** Mounts a small disk, which is not there any more at the end. */
export async function mountDisk(
  options: string,
): Promise<{ folder: string } & AsyncDisposable> {
  const folder = await Deno.makeTempDir({ prefix: "mcp-run-python-" });
  try {
    await mount("-t", "tmpfs", "-o", options, "tmpfs", folder);
  } catch (error) {
    await Deno.remove(folder);
    throw error;
  }
  return {
    folder,
    async [Symbol.asyncDispose]() {
      await system("umount", "--lazy", folder);
      await Deno.remove(folder);
    },
  };
}

/** Why there can be no such disk, if so. */
export async function whyNoTmpfs(): Promise<string | undefined> {
  try {
    await using _disk = await mountDisk("size=1m");
  } catch (error) {
    return `needs to mount a tmpfs: ${String(error).trim()}`;
  }
}

/** Times to try anew what a busy disk refuses. */
const TRIES = 100;

/** Mounts something, or mounts it anew. */
export function mount(...args: string[]): Promise<void> {
  return system("mount", ...args);
}

/**
 * Makes a mounted disk read-only. The disk is busy while another test starts a
 * process, which has this process's open files until it executes its program.
 */
export async function makeReadOnly(folder: string): Promise<void> {
  for (let left = TRIES;; left--) {
    try {
      return await mount("-o", "remount,ro", folder);
    } catch (error) {
      if (left === 0 || !/busy/.test(String(error))) throw error;
    }
  }
}

async function system(program: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args })
    .output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
