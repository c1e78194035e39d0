import {
  compileLibraries,
  type EnvironmentFiles,
  type RuntimeFiles,
} from "../engines/pyodide/stored_files.ts";
import type { LoadedLibrary } from "../engines/pyodide/worker/libraries.ts";
import type {
  Made,
  Preloaded,
  Problem,
} from "../environments/preloader_messages.ts";
import { MOST_BYTES } from "../engines/pyodide/worker/memory.ts";
import { importInWorker, type Obstacle } from "./import_in_worker.ts";
import { tryImports } from "./try_imports.ts";

/** Largest memory of a snapshot, in bytes. */
const LARGEST = 2 ** 29;

export interface PreloadFiles {
  runtime: RuntimeFiles;
  environment: EnvironmentFiles;
  /** Our own Python modules, for a start without a snapshot. */
  runner: Record<string, string>;
}

/**
 * Imports modules into a snapshot, as far as that can be done.
 *
 * Native libraries must have the same addresses when the snapshot is restored,
 * so they are loaded before Python starts: once they are known, the preload
 * starts again. A module that a snapshot cannot hold is left out; each
 * interpreter imports it.
 */
export async function preload(
  files: PreloadFiles,
  modules: string[],
): Promise<{ preloaded: Preloaded; made?: Made }> {
  const { runtime, environment, runner } = files;
  const { lockFile, packages, snapshot } = environment;
  const memoryBytes = MOST_BYTES;
  const common = { ...runtime, lockFile, packages, memoryBytes };
  const broken: Problem[] = [];
  const whilePreparing: Problem[] = [];
  let wanted = modules;
  while (wanted.length > 0) {
    const first = await importInWorker(
      { ...common, snapshot, libraries: [] },
      wanted,
    );
    if (first.failed.length > 0) {
      // Import again, so that the snapshot holds no module that was imported in part.
      broken.push(...first.failed);
      const names = first.failed.map(({ module }) => module);
      wanted = wanted.filter((name) => !names.includes(name));
      continue;
    }
    const native = "made" in first ? first.made.libraries : [];
    const last = native.length === 0 ? first : await importInWorker({
      ...common,
      runner,
      libraries: compileLibraries(native, packages),
    }, wanted);
    const problem = "made" in last
      ? check(last.made, native) ??
        toObstacle(await tryImports(files, last.made, wanted))
      : last;
    if (!problem) {
      const preloaded = { modules: wanted, whilePreparing, broken };
      return { preloaded, ...("made" in last ? { made: last.made } : {}) };
    }
    const { module, reason } = problem;
    const culprits = module === undefined ? wanted : [module];
    // A module that has ended its interpreter must not end each later one.
    const list = problem === first && problem.isFatal ? broken : whilePreparing;
    list.push(...culprits.map((module) => ({ module, reason })));
    wanted = wanted.filter((name) => !culprits.includes(name));
  }
  return { preloaded: { modules: [], whilePreparing, broken } };
}

function check(
  { libraries, snapshot }: Made,
  expected: LoadedLibrary[],
): Obstacle | undefined {
  const toText = (all: LoadedLibrary[]) =>
    JSON.stringify(all.map(({ path }) => path));
  if (snapshot.memory > LARGEST) {
    return unfit(`Its snapshot takes more than ${LARGEST >> 20} MiB.`);
  }
  // The address of a library that was loaded after the start is not known.
  if (toText(libraries) === toText(expected)) return undefined;
  return unfit("It does not load the same libraries each time.");
}

function toObstacle(reason: string | undefined): Obstacle | undefined {
  return reason === undefined ? undefined : unfit(reason);
}

function unfit(reason: string): Obstacle {
  return { reason, isFatal: false };
}
