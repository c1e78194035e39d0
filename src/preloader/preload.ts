import {
  compileLibraries,
  type EnvironmentFiles,
  type RuntimeFiles,
} from "../engines/pyodide/stored_files.ts";
import type { LoadedLibrary } from "../engines/pyodide/worker/libraries.ts";
import { MOST_BYTES } from "../engines/pyodide/worker/memory.ts";
import type {
  FromPreloadWorker,
  Made,
  PreloadStart,
} from "../environments/installer_messages.ts";
import { tryCode } from "../engines/pyodide/host.ts";
import { startWorker } from "../grants/start_worker.ts";
import { Queue } from "../protocol/channel.ts";
import type { Preloaded, Problem } from "../environments/environment.ts";

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

export async function importInWorker(
  files: Omit<PreloadStart, "port" | "modules">,
  modules: string[],
): Promise<Imported> {
  const worker = startWorker(new URL("./worker.ts", import.meta.url));
  const { port1: port, port2 } = new MessageChannel();
  const messages = new Queue<FromPreloadWorker>();
  // Its answer is not trusted: a false answer spoils its own environment only.
  port.onmessage = ({ data }) => messages.push(data);
  worker.onerror = (event) => {
    event.preventDefault();
    messages.push({ type: "broken", reason: event.message });
  };
  const start: PreloadStart = { ...files, port: port2, modules };
  worker.postMessage(start, [port2]);
  try {
    return await follow(messages);
  } finally {
    port.close();
    worker.terminate();
  }
}

async function follow(messages: Queue<FromPreloadWorker>): Promise<Imported> {
  const failed: Problem[] = [];
  let module: string | undefined;
  while (true) {
    const reason = `It did not end within ${PATIENCE_MS / 1000} s.`;
    const giveUp = () => messages.push({ type: "broken", reason });
    const timer = setTimeout(giveUp, PATIENCE_MS);
    const message = await messages.next();
    clearTimeout(timer);
    switch (message.type) {
      case "importing":
        module = message.module;
        break;
      case "failed":
        failed.push({ module: message.module, reason: message.reason });
        break;
      case "unfit":
        return { failed, ...message, isFatal: false };
      case "made":
        return { failed, made: message };
      case "broken":
        return { failed, module, reason: message.reason, isFatal: true };
    }
  }
}
