/**
 * Phase 1, as a process of its own: it may fetch, and write the cache; packages
 * are resolved and unpacked in a worker without permissions.
 *
 * @module
 */
import { dirname, join } from "node:path";
import {
  ENVIRONMENT_FILES,
  readEnvironment,
  readRuntime,
  type RuntimeFiles,
} from "../sandbox/engines/pyodide/files.ts";
import { RUNTIME_FILES } from "../sandbox/engines/pyodide/versions.ts";
import { reasonOf, UserError } from "../errors.ts";
import { concat } from "../protocol/lines.ts";
import {
  type InstalledPackage,
  maybeOpenEnvironment,
  publishEnvironment,
} from "./environment.ts";
import { runJob } from "./job.ts";
import type { FromInstaller, InstallOrder, ResolverJob } from "./messages.ts";
import { parseReport } from "./parse.ts";
import { readMicropip } from "./micropip.ts";
import { RUNNER } from "../sandbox/runner/sources.ts";
import resolver from "./resolver.py" with { type: "text" };
import unpack from "./unpack.py" with { type: "text" };

const encoder = new TextEncoder();
// Written by the launcher, from the user's settings.
const order: InstallOrder = JSON.parse(Deno.args[0] ?? "");
// Whoever started this process is gone when stdin is.
new Response(Deno.stdin.readable).bytes().finally(() => Deno.exit(1));

try {
  // Before the seconds that the rest takes.
  await inCache(() => Deno.mkdir(dirname(order.folder), { recursive: true }));
  const runtime = await readRuntime(order.pyodide);
  const lockFile = await Deno.readTextFile(
    join(order.pyodide.folder, RUNTIME_FILES.lock),
  );
  const base = await openBase() ?? await makeBase(runtime, lockFile);
  const files = { ...runtime, snapshot: base.snapshot, lockFile };
  if (order.task === "probe") await probeSources(files);
  else if (order.requirements.length > 0) await installPackages(files, base);
  say({ type: "done" });
} catch (error) {
  say({ type: "error", ...explain(error) });
}
Deno.exit(0);

/** What every environment starts from: Python without packages. */
interface Base {
  python: string;
  snapshot: Uint8Array;
  /** Lock file of no packages. */
  lockFile: string;
}

async function openBase(): Promise<Base | undefined> {
  return await inCache(async () => {
    const environment = maybeOpenEnvironment(order.baseFolder);
    if (!environment) return undefined;
    const files = await readEnvironment(environment.folder);
    return { python: environment.python, ...files };
  });
}

async function makeBase(
  runtime: RuntimeFiles,
  lockFile: string,
): Promise<Base> {
  progress("Preparing Python (once; later starts take a fraction of a second)");
  const empty = withoutPackages(lockFile);
  const { bytes, version } = await runJob("snapshot", {
    ...runtime,
    lockFile: empty,
  }, { type: "snapshot", runner: RUNNER });
  const base = { python: version, snapshot: bytes, lockFile: empty };
  await publish(order.baseFolder, base, [], {}, []);
  return base;
}

/** Of the lock file, what says which Pyodide it is for. */
function withoutPackages(lockFile: string): string {
  return JSON.stringify({ ...JSON.parse(lockFile), packages: {} });
}

async function probeSources(files: ResolverFiles): Promise<void> {
  const job = await resolverJob("probe");
  const { sources } = await runJob("probed", files, job);
  for (const text of sources) say({ type: "source", text });
}

async function installPackages(
  files: ResolverFiles,
  base: Base,
): Promise<void> {
  progress(`Resolving ${order.requirements.join(", ")}`);
  const job = await resolverJob("install");
  const { report, wheels, files: installed } = await runJob(
    "installed",
    files,
    job,
    progress,
  );
  const result = parseReport(report);
  if ("error" in result) throw new UserError(result.error, result.exitCode);
  const kept = wheels.map(([name, bytes]) => [`wheels/${name}`, bytes]);
  await publish(
    order.folder,
    base,
    result.packages,
    Object.fromEntries(kept),
    installed,
  );
  const names = result.packages.map((one) => `${one.name} ${one.version}`);
  progress(`Installed ${names.join(", ")}`);
}

/** What the worker that resolves is started from. */
type ResolverFiles = Parameters<typeof runJob>[1];

async function resolverJob(type: ResolverJob["type"]): Promise<ResolverJob> {
  const { requirements, indexUrl } = order;
  return {
    type,
    requirements,
    micropip: await readMicropip(),
    modules: { "resolver.py": resolver, "unpack.py": unpack },
    ...(indexUrl ? { indexUrl } : {}),
  };
}

async function publish(
  folder: string,
  base: Base,
  packages: InstalledPackage[],
  wheels: Record<string, Uint8Array>,
  installed: [path: string, bytes: Uint8Array][],
): Promise<void> {
  const index = installed.map(([path, bytes]) => [path, bytes.length]);
  const manifest = {
    requirements: packages.length > 0 ? order.requirements : [],
    pyodide: order.pyodideVersion,
    python: base.python,
    packages,
  };
  const files = {
    [ENVIRONMENT_FILES.snapshot]: base.snapshot,
    [ENVIRONMENT_FILES.lock]: encoder.encode(base.lockFile),
    [ENVIRONMENT_FILES.packageIndex]: encoder.encode(JSON.stringify(index)),
    [ENVIRONMENT_FILES.packages]: concat(installed.map(([, bytes]) => bytes)),
    ...wheels,
  };
  await inCache(() => publishEnvironment(folder, manifest, files));
}

/** Does work whose failure is the cache folder's. */
async function inCache<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const remedy = /os error (28|122)/.test(String(error))
      ? "Make room on its disk, or choose another folder with --cache-dir."
      : "Choose a folder that can be written with --cache-dir.";
    const reason = error instanceof Deno.errors.NotCapable
      ? "Deno keeps programs out of it"
      : reasonOf(error);
    throw new UserError(
      `Cannot use the cache in ${order.cacheDir}: ${reason}. ${remedy}`,
    );
  }
}

function explain(error: unknown): { message: string; exitCode: number } {
  if (error instanceof UserError) {
    return { message: error.message, exitCode: error.exitCode };
  }
  return { message: `Cannot install: ${reasonOf(error)}`, exitCode: 1 };
}

function progress(text: string): void {
  say({ type: "progress", text });
}

function say(message: FromInstaller): void {
  Deno.stdout.writeSync(encoder.encode(JSON.stringify(message) + "\n"));
}
