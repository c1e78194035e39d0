import { startInterpreter } from "../sandbox/engines/pyodide/host.ts";
import {
  compileLibraries,
  type EnvironmentFiles,
  type RuntimeFiles,
} from "../sandbox/engines/pyodide/files.ts";
import type { LoadedLibrary } from "../sandbox/engines/pyodide/libraries.ts";
import type { Made, Preloaded, Problem } from "./messages.ts";
import { importInWorker } from "./import_in_worker.ts";

/** Memory of an interpreter that imports. */
const MEMORY_BYTES = 2 ** 32 - 2 ** 16;

/** What a preload starts from. */
export interface PreloadFiles {
  runtime: RuntimeFiles;
  environment: EnvironmentFiles;
  /** Our own Python modules, for a start without a snapshot. */
  runner: Record<string, string>;
}

/**
 * Imports modules into a snapshot, as far as that can be done.
 *
 * Libraries of native code must be where they were when the snapshot is
 * restored, so they are loaded before Python starts: once they are known, all is
 * done again from the beginning. What no snapshot can hold is left out, and is
 * for each interpreter to import.
 *
 * @returns Without a snapshot, if none could be made that works.
 */
export async function preload(
  files: PreloadFiles,
  modules: string[],
): Promise<{ preloaded: Preloaded; made?: Made }> {
  const { runtime, environment, runner } = files;
  const common = {
    ...runtime,
    lockFile: environment.lockFile,
    packages: environment.packages,
    memoryBytes: MEMORY_BYTES,
  };
  const broken: Problem[] = [];
  const whilePreparing: Problem[] = [];
  let wanted = modules;
  while (wanted.length > 0) {
    const { snapshot } = environment;
    const first = await importInWorker(
      { ...common, snapshot, libraries: [] },
      wanted,
    );
    // What cannot be imported must not be half imported in the snapshot.
    broken.push(...first.failed);
    const rest = without(wanted, first.failed);
    const native = "made" in first ? first.made.libraries : [];
    const last = native.length === 0 ? first : await importInWorker({
      ...common,
      runner,
      libraries: await compileLibraries(native, environment.packages),
    }, rest);
    const problem = "made" in last
      ? hasOthers(last.made, native) ?? await tryOut(files, last.made, rest)
      : last;
    if (!problem && "made" in last) {
      const { made } = last;
      return { preloaded: { modules: rest, whilePreparing, broken }, made };
    }
    const { module, reason = "" } = problem ?? {};
    const culprits = module === undefined ? rest : [module];
    whilePreparing.push(...culprits.map((module) => ({ module, reason })));
    wanted = rest.filter((name) => !culprits.includes(name));
  }
  return { preloaded: { modules: [], whilePreparing, broken } };
}

function without(modules: string[], problems: Problem[]): string[] {
  return modules.filter((name) =>
    !problems.some(({ module }) => module === name)
  );
}

/** What is in the way of a snapshot; without a module, nobody knows whose it is. */
type Obstacle = { module?: string; reason: string } | undefined;

/** A library that was not there before Python started can be anywhere. */
function hasOthers({ libraries }: Made, expected: LoadedLibrary[]): Obstacle {
  const toText = (all: LoadedLibrary[]) =>
    JSON.stringify(all.map(({ path }) => path));
  if (toText(libraries) === toText(expected)) return undefined;
  return { reason: "It does not load the same libraries each time." };
}

/** Restores a snapshot as a run will; gives what is wrong with it. */
async function tryOut(
  { runtime, environment }: PreloadFiles,
  { snapshot, libraries, folders }: Made,
  modules: string[],
): Promise<Obstacle> {
  try {
    const interpreter = await startInterpreter({
      ...runtime,
      ...environment,
      snapshot,
      libraries: await compileLibraries(libraries, environment.packages),
      imports: [],
      folders,
      memoryBytes: MEMORY_BYTES,
    });
    const ending = await interpreter.run({
      code: modules.map((name) => `import ${name}\n`).join(""),
      globals: "{}",
      timeoutMs: Infinity,
      maxOutput: 1000,
      installable: [],
    }, () => Promise.resolve());
    await interpreter.end();
    if (ending.status === "success") return undefined;
    return { reason: `Its snapshot does not work: ${ending.error}` };
  } catch (error) {
    return { reason: `Its snapshot cannot be restored: ${error}` };
  }
}
