import { join } from "node:path";
import {
  ENVIRONMENT_FILES,
  RUNTIME_FILES,
} from "../engines/pyodide/versions.ts";
import {
  readEnvironment,
  readRuntime,
  type StoredIndex,
} from "../engines/pyodide/stored_files.ts";
import type { Snapshot } from "../engines/pyodide/worker/snapshot.ts";
import {
  Draft,
  type Environment,
  environmentFolder,
  maybeOpenWhole,
} from "../environments/environment.ts";
import { inCache } from "../environments/in_cache.ts";
import { concat } from "../protocol/lines.ts";
import { readTimeZones } from "./time_zones.ts";
import { foldersOf } from "../environments/wanted_environment.ts";
import {
  openPythonJob,
  runnerModules,
} from "../environments/phase_1/python_job.ts";
import { lockEnvironment } from "../environments/file_locks.ts";
import type {
  InstallEvent,
  InstallOrder,
} from "../environments/phase_1/messages.ts";
import type { InstalledPackage } from "../requirements/installed_package.ts";

const encoder = new TextEncoder();

/** The start of every environment: Python without packages. */
export interface Base {
  environment: Environment;
  python: string;
  snapshot: Snapshot;
  /** Lock file of no packages, which names the Pyodide that it is for. */
  emptyLock: string;
}

/** Opens the base, or makes it. */
export async function ensureBase(
  order: InstallOrder,
  report: (event: InstallEvent) => void,
): Promise<Base> {
  const known = await maybeOpenBase(order);
  if (known) return known;
  const text = "Waiting for another start that prepares Python";
  const onWait = () => report({ type: "step", text });
  using _lock = await lockEnvironment(order.cacheDir, order.baseId, {
    onWait,
  });
  // Another process may have been faster.
  return await maybeOpenBase(order) ?? await makeBase(order, report);
}

async function maybeOpenBase(order: InstallOrder): Promise<Base | undefined> {
  return await inCache(order, async () => {
    for (const folder of foldersOf(order, order.baseId)) {
      // Others will be made from it.
      const environment = await maybeOpenWhole(folder);
      if (!environment) continue;
      const { snapshot, lockFile } = await readEnvironment(folder);
      const { python } = environment;
      return { environment, python, snapshot, emptyLock: lockFile };
    }
  });
}

async function makeBase(
  order: InstallOrder,
  report: (event: InstallEvent) => void,
): Promise<Base> {
  report({
    type: "step",
    text: "Preparing Python (once; later starts take a fraction of a second)",
  });
  const lockFile = await Deno.readTextFile(
    join(order.runtime.folder, RUNTIME_FILES.lock),
  );
  const own = await readRuntime(order.runtime);
  const emptyLock = JSON.stringify({ ...JSON.parse(lockFile), packages: {} });
  using job = openPythonJob({
    ...own,
    lockFile: emptyLock,
    ...runnerModules(lockFile),
  });
  const python = await job.call({ call: "version" });
  const made = await job.call({ call: "snapshot" });
  if ("fault" in made) throw new Error(made.fault);
  const base = { python, snapshot: made.snapshot, emptyLock };
  const { linkRuntime } = await import("./link_runtime.ts");
  const layout = () => job.call({ call: "layout" });
  const environment = await inCache(order, () =>
    publishBase(order, base, {
      id: order.baseId,
      // Once for all environments, as the places of symbols stay the same.
      complete: (draft) => linkRuntime(draft, { ...order, own, layout }),
    }));
  return { ...base, environment };
}

/** Publishes a snapshot that packages of this program, at most, have been imported into. */
export async function publishBase(
  { cacheDir, engine }: Pick<
    InstallOrder,
    "cacheDir" | "engine"
  >,
  base: Omit<Base, "environment">,
  { id, packages = [], complete }: {
    id: string;
    packages?: InstalledPackage[];
    /** Adds more files. */
    complete?: (draft: Draft) => Promise<void>;
  },
): Promise<Environment> {
  await using draft = new Draft(environmentFolder(cacheDir, id));
  await draft.write(await baseFiles(base));
  await complete?.(draft);
  return await draft.publish({
    requested: [],
    engine,
    python: base.python,
    packages,
    preloaded: { modules: [], whilePreparing: [], broken: [] },
  });
}

/** @param installed Files of packages, by path from the root. */
export async function baseFiles(
  { snapshot, emptyLock }: Pick<Base, "snapshot" | "emptyLock">,
  installed: [path: string, contents: Uint8Array][] = [],
): Promise<Record<string, Uint8Array>> {
  const files = [...await readTimeZones(), ...installed];
  const index = files.map(([path, bytes]) => [path, bytes.length]);
  return {
    ...snapshotFiles({ ...snapshot, ...WITHOUT_PACKAGES, imports: [] }),
    [ENVIRONMENT_FILES.lock]: encoder.encode(emptyLock),
    [ENVIRONMENT_FILES.packageIndex]: encoder.encode(JSON.stringify(index)),
    [ENVIRONMENT_FILES.packages]: concat(files.map(([, bytes]) => bytes)),
  };
}

/** What a snapshot needs that holds no package. */
export const WITHOUT_PACKAGES = { libraries: [], folders: [] };

export function snapshotFiles(
  { bytes, ...index }: StoredIndex & { bytes: Uint8Array },
): Record<string, Uint8Array> {
  return {
    [ENVIRONMENT_FILES.snapshot]: bytes,
    [ENVIRONMENT_FILES.snapshotIndex]: encoder.encode(JSON.stringify(index)),
  };
}
