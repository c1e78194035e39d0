import { join } from "node:path";

/** Age of a draft from which its writer is presumed dead. */
export const STALE_MS: number = 60 * 60 * 1000;

/** Names of environments that are being written, or that made room for another. */
export const DRAFT = /^[0-9a-f]{24}\.[0-9a-f-]{36}\.(tmp|old)$/;

/** Names of wheels that are being downloaded. */
export const WHEEL_DRAFT = /^[0-9a-f-]{36}\.tmp$/;

/** Removes the drafts of killed installs, as far as possible: a draft may be another user's. */
export async function sweepDrafts(
  folder: string,
  drafts: RegExp,
): Promise<void> {
  for (const { name } of await Array.fromAsync(Deno.readDir(folder))) {
    if (drafts.test(name)) {
      await maybeRemove(join(folder, name)).catch(() => {});
    }
  }
}

async function maybeRemove(path: string): Promise<void> {
  const { mtime } = await Deno.lstat(path);
  if (Date.now() - Number(mtime) < STALE_MS) return;
  await Deno.remove(path, { recursive: true });
}
