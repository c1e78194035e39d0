import {
  compileLibraries,
  type EnvironmentFiles,
  type RuntimeFiles,
} from "../engines/pyodide/stored_files.ts";
import type { LoadedLibrary } from "../engines/pyodide/worker/libraries.ts";
import type { Made } from "../environments/phase_1/messages.ts";
import {
  openPythonJob,
  type PythonJob,
  type PythonJobFiles,
  type runnerModules,
} from "../environments/phase_1/python_job.ts";
import { within } from "../deadline.ts";
import { messageOf } from "../errors.ts";
import { tryCode } from "../engines/pyodide/host.ts";
import type { Preloaded, Problem } from "../environments/environment.ts";

/** Largest memory of a snapshot, in bytes. */
const LARGEST = 2 ** 29;

export interface PreloadFiles {
  runtime: RuntimeFiles;
  environment: EnvironmentFiles;
  /** Our own Python modules, for a start without a snapshot. */
  runner: ReturnType<typeof runnerModules>;
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
  const common = { ...runtime, lockFile, packages, package: runner.package };
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
    const memory = "made" in first ? first.made.snapshot.memory : 0;
    const last = native.length === 0 ? first : await importInWorker({
      ...common,
      ...runner,
      libraries: compileLibraries(native, packages),
      libraryBytes: memory,
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

/**
 * Imports modules as the runs of an environment will.
 *
 * @param made Undefined for the snapshot that the environment has.
 * @returns The reason if that fails.
 */
export async function tryImports(
  { runtime, environment }: {
    runtime: RuntimeFiles;
    environment: EnvironmentFiles;
  },
  made: Made | undefined,
  modules: string[],
): Promise<string | undefined> {
  try {
    const libraries = compileLibraries(
      made?.libraries ?? [],
      environment.packages,
    );
    const files = { ...runtime, ...environment, ...made, libraries };
    const code = modules.map((name) => `import ${name}\n`).join("");
    const ending = await tryCode({ ...files, imports: [] }, code);
    if (ending.status === "success") return undefined;
    return `Its snapshot does not work: ${ending.error}`;
  } catch (error) {
    return `Its snapshot cannot be restored: ${error}`;
  }
}

/** Time limit for importing a module. */
const PATIENCE_MS = 120_000;

/** The modules that cannot be imported; and a snapshot, or the obstacle to it. */
export type Imported = { failed: Problem[] } & ({ made: Made } | Obstacle);

/** The obstacle to a snapshot; `module` is undefined if its cause is not known. */
interface Obstacle {
  module?: string | undefined;
  reason: string;
  /** Whether the import ended the interpreter. */
  isFatal: boolean;
}

/** Its answers are not trusted: a false one spoils its own environment only. */
export async function importInWorker(
  files: PythonJobFiles,
  modules: string[],
): Promise<Imported> {
  using job = openPythonJob(files);
  const call: PythonJob["call"] = (message) =>
    within(job.call(message), PATIENCE_MS, "It");
  const failed: Problem[] = [];
  let module: string | undefined;
  try {
    for (module of modules) {
      const { reason, unfit } = await call({ call: "import", module });
      if (reason !== undefined) failed.push({ module, reason });
      if (unfit === undefined) continue;
      return { failed, module, reason: unfit, isFatal: false };
    }
    const made = await call({ call: "snapshot" });
    if ("fault" in made) throw new Error(made.fault);
    return { failed, made };
  } catch (error) {
    return { failed, module, reason: messageOf(error), isFatal: true };
  }
}
