import { basename, join } from "node:path";
import {
  ENVIRONMENT_FILES,
  readEnvironment,
  readRuntime,
  type RuntimeFiles,
  type StoredIndex,
} from "../engines/pyodide/stored_files.ts";
import { RUNTIME_FILES } from "../engines/pyodide/versions.ts";
import type { Snapshot } from "../engines/pyodide/worker/snapshot.ts";
import { runnerFor } from "../engines/pyodide/runner/modules.ts";
import {
  damagedFiles,
  Draft,
  maybeOpenEnvironment,
} from "../environments/environment.ts";
import type { InstallEvent } from "../environments/install_events.ts";
import { inCache } from "../environments/in_cache.ts";
import { openPythonJob } from "./python_job.ts";
import { lockEnvironment } from "../environments/file_locks.ts";
import type { InstallOrder } from "../environments/installer_messages.ts";
import { parseSnapshot } from "../environments/parse_installer_messages.ts";
import type { Preloaded } from "../environments/preloader_messages.ts";

const encoder = new TextEncoder();
const NOTHING: Preloaded = { modules: [], whilePreparing: [], broken: [] };

/** What every environment starts from: Python without packages. */
export interface Base {
  /** Version of Python. */
  python: string;
  runtime: RuntimeFiles;
  snapshot: Snapshot;
  /** Lock file of no packages: what says which Pyodide it is for. */
  emptyLock: string;
}

/** Opens what every environment starts from, or makes it. */
export async function ensureBase(
  order: InstallOrder,
  report: (event: InstallEvent) => void,
): Promise<Base> {
  const runtime = await readRuntime(order.pyodide);
  const known = await maybeOpenBase(order, runtime);
  if (known) return known;
  const onWait = () =>
    report({
      type: "step",
      text: "Waiting for another start that prepares Python",
    });
  const id = basename(order.baseFolder);
  using _lock = await lockEnvironment(order.cacheDir, id, { onWait });
  // Another process may have been faster.
  return await maybeOpenBase(order, runtime) ??
    await makeBase(order, runtime, report);
}

async function maybeOpenBase(
  order: InstallOrder,
  runtime: RuntimeFiles,
): Promise<Base | undefined> {
  return await inCache(order, async () => {
    const environment = maybeOpenEnvironment(order.baseFolder);
    if (!environment) return undefined;
    // Others will be made from it.
    const damaged = await damagedFiles(environment);
    if (damaged.length > 0) return undefined;
    const { snapshot, lockFile } = await readEnvironment(environment.folder);
    const { python } = environment;
    return { python, runtime, snapshot, emptyLock: lockFile };
  });
}

async function makeBase(
  order: InstallOrder,
  runtime: RuntimeFiles,
  report: (event: InstallEvent) => void,
): Promise<Base> {
  report({
    type: "step",
    text: "Preparing Python (once; later starts take a fraction of a second)",
  });
  const lockFile = await Deno.readTextFile(
    join(order.pyodide.folder, RUNTIME_FILES.lock),
  );
  const emptyLock = withoutPackages(lockFile);
  using job = openPythonJob({
    ...runtime,
    lockFile: emptyLock,
    package: "mcp_runner",
    own: { wheels: [], modules: runnerFor(lockFile) },
  }, {
    fetch: () => Promise.reject(new Error("A snapshot needs no network")),
    wheel: () => Promise.reject(new Error("A snapshot needs no wheels")),
    say: report,
  });
  const { snapshot, version } = parseSnapshot(
    await job.call({ call: "snapshot", of: "base" }),
  );
  if (!snapshot) throw new Error("Python's memory cannot be kept");
  const base = { python: version, runtime, snapshot, emptyLock };
  await publish(order, base);
  return base;
}

async function publish(order: InstallOrder, base: Base): Promise<void> {
  const manifest = {
    requirements: [],
    pyodide: order.pyodideVersion,
    python: base.python,
    packages: [],
    preloaded: NOTHING,
  };
  await using draft = new Draft(order.baseFolder);
  await inCache(order, async () => {
    await draft.write(baseFiles(base));
    await draft.publish(manifest);
  });
}

/** Files of an environment that are the base's. */
export function baseFiles(
  { snapshot, emptyLock }: Base,
): Record<string, Uint8Array> {
  const { bytes, ...places } = snapshot;
  return {
    ...snapshotFiles(bytes, {
      ...places,
      libraries: [],
      imports: [],
      folders: [],
    }),
    [ENVIRONMENT_FILES.lock]: encoder.encode(emptyLock),
    [ENVIRONMENT_FILES.packageIndex]: encoder.encode("[]"),
    [ENVIRONMENT_FILES.packages]: new Uint8Array(),
  };
}

/** Files of an environment that are its snapshot's. */
export function snapshotFiles(
  bytes: Uint8Array,
  index: StoredIndex,
): Record<string, Uint8Array> {
  return {
    [ENVIRONMENT_FILES.snapshot]: bytes,
    [ENVIRONMENT_FILES.snapshotIndex]: encoder.encode(JSON.stringify(index)),
  };
}

function withoutPackages(lockFile: string): string {
  return JSON.stringify({ ...JSON.parse(lockFile), packages: {} });
}
