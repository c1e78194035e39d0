import { dirname } from "node:path";
import { EXIT, reasonOf, UserError } from "../../errors.ts";
import { planEnvironment } from "../../launcher/installing/install.ts";
import { toLockFile } from "../../launcher/installing/lock_file.ts";
import { print } from "../../log.ts";
import type { Settings } from "../../settings.ts";
import { withProgress } from "../install_progress.ts";
import { toCount } from "../sizes.ts";
import { writeWhole } from "../../disk.ts";

/** Writes a lock file of the packages that these settings would install. */
export async function lock(settings: Settings, path: string): Promise<number> {
  // Before the long work.
  await refuseOther(path);
  const plan = await withProgress((report) =>
    planEnvironment(settings, report)
  );
  await writeLock(path, toLockFile(plan));
  print(`Locked ${toCount(plan.packages.length, "package")} in ${path}\n`);
  return EXIT.ok;
}

/**
 * Writes a lock file, whole or not at all.
 *
 * @throws {UserError} If another file is there, or the file cannot be written.
 */
export async function writeLock(path: string, text: string): Promise<void> {
  await refuseOther(path);
  try {
    await writeWhole(path, text);
  } catch (error) {
    throw new UserError(
      `Cannot write the lock file "${path}": ${reasonOf(error)}. ` +
        "Name a file in a folder that can be written.",
    );
  }
}

/** Refuses a path of another file, or in a folder that does not exist. */
async function refuseOther(path: string): Promise<void> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    const parent = await Deno.stat(dirname(path)).catch(() => undefined);
    if (error instanceof Deno.errors.NotFound && parent?.isDirectory) return;
    throw new UserError(
      `Cannot write the lock file "${path}": ${reasonOf(error)}. ` +
        "Name a file in a folder that is there.",
      EXIT.usage,
    );
  }
  if (/^[ \t]*lock-version[ \t]*=/m.test(text)) return;
  throw new UserError(
    `Cannot write the lock file "${path}" as another file is there. ` +
      "Name another file, or remove it.",
    EXIT.usage,
  );
}
