import { hideCredentials } from "../../requirements/hide_credentials.ts";
import { takesNoPackages } from "../../requirements/install_errors.ts";
import { dirname } from "node:path";
import { reasonOf, UserError } from "../../errors.ts";
import { findWall } from "../isolation.ts";
import { ensureProgram } from "../program.ts";
import type { Settings } from "../../settings.ts";
import {
  damagedFiles,
  type Environment,
  unsealEnvironment,
} from "../../environments/environment.ts";
import { findWanted, type Wanted } from "./request_id.ts";
import {
  maybeOpenOneOf,
  wantedFolders,
} from "../../environments/wanted_environment.ts";
import { inCache } from "../../environments/in_cache.ts";
import { holdEnvironment } from "../../environments/file_locks.ts";
import { toInstallOrder } from "./install_order.ts";
import type {
  InstallEvent,
  Plan,
  ProbedSource,
} from "../../environments/phase_1/messages.ts";
import {
  type InstallSettings,
  runInstall,
  runInstaller,
} from "./run_installer.ts";

/** An environment that stays in the cache until this is disposed of. */
export type HeldEnvironment = Environment & Disposable;

/**
 * Phase 1: gives the environment of these settings, from the cache or newly installed.
 *
 * @throws {UserError} If it cannot be installed.
 */
export async function ensureEnvironment(
  settings: InstallSettings,
  report: (event: InstallEvent) => void,
): Promise<HeldEnvironment> {
  return await maybeCached(settings, report) ??
    await install(settings, report);
}

/**
 * Gives the environment of these settings from the cache, undefined if it is not
 * there; downloads what this program's own processes need, if that is not there.
 *
 * @throws {UserError} If packages are asked for, and the engine takes none.
 */
export async function maybeCached(
  settings: InstallSettings & Partial<Pick<Settings, "allowInstall">>,
  report: (event: InstallEvent) => void,
): Promise<HeldEnvironment | undefined> {
  const { engine, dependencies, locked, allowInstall = [] } = settings;
  const wanted = [...dependencies, ...allowInstall];
  if (!engine.environmentFiles && (wanted.length > 0 || locked)) {
    const what = hideCredentials(wanted.join(", ") || "a lock file");
    throw new UserError(takesNoPackages(what, engine.profile.label));
  }
  await ensureProgram(settings.offline, toSteps(report));
  return engine.environmentFiles
    ? maybeHold(settings)
    : await withoutEnvironment(settings);
}

/** Stands for the environment of an engine that has none. */
async function withoutEnvironment(
  { engine, runtimeFolder }: InstallSettings,
): Promise<HeldEnvironment> {
  const { version, python = version } = await engine.findRuntime(runtimeFolder);
  const preloaded = { modules: [], whilePreparing: [], broken: [] };
  return {
    folder: "",
    engine: `${engine.profile.label} ${version}`,
    python,
    preloaded,
    requested: [],
    packages: [],
    files: {},
    [Symbol.dispose]() {},
  };
}

/** Does the same as `ensureEnvironment()`, and first checks every byte of a cached environment, which takes time. */
export async function repairEnvironment(
  settings: InstallSettings,
  report: (event: InstallEvent) => void,
): Promise<HeldEnvironment> {
  using known = await maybeHold(settings);
  const damaged = known ? await damagedFiles(known) : [];
  if (known && damaged.length > 0) {
    const text = `${damaged.join(" and ")} in ${known.folder} ${
      damaged.length === 1 ? "is" : "are"
    } not as installed; installing it anew`;
    report({ type: "warning", text });
    const cacheDir = dirname(dirname(known.folder));
    await inCache({ cacheDir }, () => unsealEnvironment(known.folder));
  }
  return await ensureEnvironment(settings, report);
}

function toSteps(report: (event: InstallEvent) => void) {
  return (text: string) => report({ type: "step", text });
}

async function install(
  settings: InstallSettings,
  report: (event: InstallEvent) => void,
): Promise<HeldEnvironment> {
  const wall = await findWall(settings.isolation);
  const order = await toInstallOrder("install", settings);
  const options = { ...settings, wall };
  const { folder } = await runInstall(order, options, report);
  const installed = await maybeHold(settings, [folder]);
  if (installed) return installed;
  throw new UserError(
    `Cannot find the environment that was installed as ${folder}`,
  );
}

/** Holds the first environment that is whole. */
async function maybeHold(
  settings: Wanted,
  folders?: string[],
): Promise<HeldEnvironment | undefined> {
  folders ??= wantedFolders(await findWanted(settings));
  for (const folder of folders) {
    using stack = new DisposableStack();
    // Held before it is opened, so that no process removes it between the two.
    stack.use(holdEnvironment(folder));
    const environment = maybeOpen(settings, [folder]);
    if (!environment) continue;
    const held = stack.move();
    return { ...environment, [Symbol.dispose]: () => held.dispose() };
  }
}

/** @throws {UserError} If the requirements cannot be met. */
export async function planEnvironment(
  settings: InstallSettings,
  report: (event: InstallEvent) => void,
): Promise<Plan> {
  await ensureProgram(settings.offline, toSteps(report));
  const order = await toInstallOrder("plan", settings);
  const { plan } = await runInstaller(order, settings, report);
  if (plan) return plan;
  throw new UserError("The installer ended without a plan.");
}

/**
 * Undefined if no cache has the environment, or not whole.
 *
 * @throws {UserError} If the cache cannot be read.
 */
export async function maybeInstalled(
  settings: Wanted,
): Promise<Environment | undefined> {
  const wanted = await findWanted(settings);
  return maybeOpen(settings, wantedFolders(wanted));
}

function maybeOpen(
  { cacheDir }: Wanted,
  folders: string[],
): Environment | undefined {
  try {
    return maybeOpenOneOf(folders);
  } catch (error) {
    throw new UserError(
      `Cannot read the cache in ${cacheDir}: ${
        reasonOf(error)
      }. Mend its permissions, or choose another folder with --cache-dir.`,
    );
  }
}

/** Asks each source of packages whether it answers. */
export async function probeSources(
  settings: InstallSettings,
): Promise<ProbedSource[]> {
  const order = await toInstallOrder("probe", settings);
  const { sources = [] } = await runInstaller(order, settings, () => {});
  return sources;
}
