// The resolver's start: a snapshot of Python in which the resolver's own modules
// are imported. The cache keeps it as an environment.
import { basename } from "node:path";
import { MICROPIP } from "../../deps/micropip.ts";
import { PACKAGING } from "../../deps/packaging.ts";
import { RESOLVELIB } from "../../deps/resolvelib.ts";
import { fileURLToPath } from "node:url";
import {
  readEnvironment,
  readRuntimeFor,
} from "../engines/pyodide/stored_files.ts";
import { type Base, publishBase } from "./base.ts";
import { maybeOpenWhole, toId } from "../environments/environment.ts";
import { copyLinked } from "./linked_files.ts";
import { readPinned } from "./pinned_wheel.ts";
import type {
  PythonJob,
  PythonJobFiles,
} from "../environments/phase_1/python_job.ts";
import { holdEnvironment } from "../environments/file_locks.ts";
import type { InstallOrder } from "../environments/phase_1/messages.ts";
import type { InstalledPackage } from "../requirements/installed_package.ts";
import { foldersOf } from "../environments/wanted_environment.ts";
import demands from "./resolver/demands.py" with { type: "text" };
import distribution from "./resolver/distribution.py" with { type: "text" };
import explain from "./resolver/explain.py" with { type: "text" };
import host from "./resolver/host.py" with { type: "text" };
import indexPages from "./resolver/index_pages.py" with { type: "text" };
import locked from "./resolver/locked.py" with { type: "text" };
import plan from "./resolver/plan.py" with { type: "text" };
import refused from "./resolver/refused.py" with { type: "text" };
import resolve from "./resolver/resolve.py" with { type: "text" };
import sources from "./resolver/sources.py" with { type: "text" };
import thisPython from "./resolver/this_python.py" with { type: "text" };
import unpack from "./resolver/unpack.py" with { type: "text" };
import wheels from "./resolver/wheels.py" with { type: "text" };

const PYTHON_WHEELS = [PACKAGING, RESOLVELIB, MICROPIP] as const;

/** Each base, and each version of the resolver's modules or wheels, has an id of its own. */
export function toResolverId(baseId: string): string {
  const wheels = PYTHON_WHEELS.map(({ sha256 }) => sha256);
  return toId([baseId, RESOLVER, wheels]);
}

/** Opens the resolver's snapshot; without it, gives the base and the modules to import. */
export async function openResolverStart(
  order: InstallOrder,
  base: () => Promise<Base>,
): Promise<{ python: string; files: PythonJobFiles }> {
  const name = { package: "mcp_installer" };
  for (const folder of foldersOf(order, toResolverId(order.baseId))) {
    const start = await maybeOpenStart(folder);
    if (!start) continue;
    const runtime = await readRuntimeFor(folder, order.runtime);
    const { python, snapshot, lockFile } = start;
    return { python, files: { ...runtime, ...name, snapshot, lockFile } };
  }
  const { environment, python, snapshot, emptyLock } = await base();
  const runtime = await readRuntimeFor(environment.folder, order.runtime);
  const own = {
    wheels: await readPythonWheels(),
    modules: RESOLVER,
    imports: ["plan", "unpack"],
  };
  const files = { ...runtime, ...name, snapshot, lockFile: emptyLock, own };
  return { python, files };
}

/** Reads the wheels that phase 1 runs on. */
export function readPythonWheels(): Promise<Uint8Array[]> {
  return Promise.all(PYTHON_WHEELS.map(readPinned));
}

async function maybeOpenStart(folder: string) {
  try {
    using _held = holdEnvironment(folder);
    const environment = await maybeOpenWhole(folder);
    return environment && { ...environment, ...await readEnvironment(folder) };
  } catch {
    // The cache may be another user's; the resolver then starts from the base.
  }
}

/** Keeps a snapshot of a worker that has imported the resolver's modules, and seen no package. */
export async function keepResolverStart(
  order: InstallOrder,
  base: Base,
  job: PythonJob,
): Promise<void> {
  const made = await job.call({ call: "snapshot" });
  if ("fault" in made) return;
  const packages = PYTHON_WHEELS.map(toPackage);
  await publishBase(
    order,
    { ...base, snapshot: made.snapshot },
    {
      id: toResolverId(order.baseId),
      packages,
      complete: (draft) => copyLinked(base.environment, draft),
    },
  )
    // The snapshot saves time only; a cache that takes none fails no install.
    .catch(() => {});
}

function toPackage(
  { url, sha256 }: typeof PYTHON_WHEELS[number],
): InstalledPackage {
  const file = basename(fileURLToPath(url));
  const [name = "", version = ""] = file.split("-");
  return { name, version, imports: [name], file, url: url.href, sha256 };
}

/** The Python files of phase 1, by name in their package. */
export const RESOLVER: Record<string, string> = {
  "__init__.py": "",
  "demands.py": demands,
  "distribution.py": distribution,
  "explain.py": explain,
  "host.py": host,
  "index_pages.py": indexPages,
  "locked.py": locked,
  "plan.py": plan,
  "refused.py": refused,
  "resolve.py": resolve,
  "sources.py": sources,
  "this_python.py": thisPython,
  "unpack.py": unpack,
  "wheels.py": wheels,
};
