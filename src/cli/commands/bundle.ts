import { isAbsolute, relative } from "node:path";
import { ENGINE } from "../../engines/index.ts";
import { EXIT, reasonOf, usageError, UserError } from "../../errors.ts";
import { sizeOf } from "../../environments/cache.ts";
import { writeBundle } from "../../launcher/bundling/write_bundle.ts";
import { repairEnvironment } from "../../launcher/installing/install.ts";
import { print } from "../../log.ts";
import type { Settings } from "../../settings.ts";
import type { BundleOrder } from "../arguments.ts";
import { withProgress } from "../install_progress.ts";
import { toMiB } from "../sizes.ts";

/** Writes a folder that serves the environment of these settings without a network. */
export async function bundle(
  settings: Settings,
  { folder, given }: BundleOrder,
): Promise<number> {
  const { environmentFiles, profile } = settings.engine;
  if (!environmentFiles) {
    const { name } = ENGINE.profile;
    throw usageError(
      `Cannot bundle ${profile.label} alone as a bundle is of packages. Name an engine with packages first: --engine ${name},${profile.name}.`,
    );
  }
  // Before the long work.
  await refuseUsed(folder);
  await withProgress(async (report) => {
    using environment = await repairEnvironment(settings, report);
    const { runtimeFolder } = settings;
    const order = { environment, given, runtimeFolder };
    await refuseUsed(folder);
    await writeBundle(folder, order, (text) => report({ type: "step", text }));
  });
  const size = toMiB(await sizeOf(folder));
  const near = relative(Deno.cwd(), folder);
  const shown = near.startsWith("..") || isAbsolute(near) ? folder : near;
  print(`Wrote ${size} to ${shown}: mcp-run-python in it starts the server\n`);
  return EXIT.ok;
}

/** Refuses a path where a file is, or a folder that is not empty. */
async function refuseUsed(folder: string): Promise<void> {
  const remedy = "Name a folder that is not there.";
  try {
    for await (const { name } of Deno.readDir(folder)) {
      throw new UserError(
        `Cannot write the bundle "${folder}" as it is there, with ${name} in it. ${remedy}`,
        EXIT.usage,
      );
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    if (error instanceof UserError) throw error;
    throw new UserError(
      `Cannot write the bundle "${folder}": ${reasonOf(error)}. ${remedy}`,
      EXIT.usage,
    );
  }
}
