import { maybeWasm } from "../protocol/downstream.ts";
import { damagedFiles, type Preloaded } from "../environments/environment.ts";
import { listCache } from "../environments/cache.ts";
import type { ProbedSource } from "../environments/phase_1/messages.ts";
import { messageOf, reasonOf, UserError } from "../errors.ts";
import { mountPlaces } from "../grants/mounts.ts";
import {
  PERMISSION_KINDS,
  PERMISSIONS,
  type Scope,
} from "../grants/permissions.ts";
import {
  componentWarnings,
  openConfigurations,
} from "../launcher/downstream/configurations.ts";
import { toPythonGrants } from "../grants/policy.ts";
import { explainGrants } from "../grants/policy_file/explain.ts";
import { thisSystem } from "../launcher/downstream/system.ts";
import { isNowhere } from "../launcher/flags.ts";
import {
  maybeInstalled,
  planEnvironment,
  probeSources,
} from "../launcher/installing/install.ts";
import { tryBwrap } from "../launcher/isolation.ts";
import { openPrepared } from "../launcher/python.ts";
import { prepare } from "../launcher/prepare.ts";
import { findEngines } from "../launcher/start_sandbox.ts";
import type { EngineProfile } from "../protocol/engine_profile.ts";
import type { Json } from "../protocol/run_result.ts";
import { readable } from "../environments/wanted_environment.ts";
import type { Settings } from "../settings.ts";
import { VERSION } from "../version.ts";
import { withProgress } from "./install_progress.ts";
import { renderPlan } from "./commands/install.ts";
import { toCount, toMiB, toTable } from "./sizes.ts";

/** A part of the findings of `doctor`. */
export interface Finding<Facts> {
  /** For people. */
  lines: string[];
  /** For programs, as JSON. */
  facts: Facts;
  /** The reason why a server with these options would not work. */
  problem?: string | undefined;
}

export async function listVersions(
  settings: Settings,
): Promise<Finding<Json>> {
  const engines = await findEngines(settings);
  const { deno, v8 } = Deno.version;
  const platform = Deno.build.target;
  const named = engines.map(({ row, runtime }) =>
    `${row.profile.label} ${runtime.version}`
  );
  const versions = engines.map(({ row, runtime }) =>
    [row.profile.name, runtime.version] as const
  );
  return {
    lines: [
      [`mcp-run-python ${VERSION}`, ...named].join(", "),
      `Deno ${deno}, V8 ${v8}, ${platform}`,
    ],
    facts: {
      "mcp-run-python": VERSION,
      ...Object.fromEntries(versions),
      ...{ deno, v8, platform },
    },
  };
}

/** @throws {UserError} If a cache cannot be read. */
export async function measureCaches(
  settings: Settings,
): Promise<Finding<Json>> {
  const { cacheDir, otherCacheDir } = readable(settings);
  const own = await measureCache(cacheDir);
  if (otherCacheDir === undefined) return own;
  const other = await measureCache(otherCacheDir);
  return {
    lines: [...own.lines, "takes new packages", ...other.lines, "is only read"],
    facts: { ...own.facts, other: other.facts },
  };
}

async function measureCache(folder: string) {
  const { environments, bytes } = await listCache(folder).catch((error) => {
    throw new UserError(`${folder} cannot be read: ${reasonOf(error)}`);
  });
  const damaged = environments.filter(({ contents }) => !contents)
    .map(({ path }) => path);
  return {
    lines: [
      folder,
      `${toMiB(bytes)} in ${toCount(environments.length, "environment")}`,
      ...damaged.map((path) =>
        `damaged: ${path}; the next start that needs it installs it anew, mcp-run-python cache prune removes it`
      ),
    ],
    facts: { folder, bytes, environments: environments.length, damaged },
  };
}

/** The facts are null if no source was asked. */
export async function askSources(
  settings: Settings,
): Promise<Finding<ProbedSource[] | null>> {
  if (settings.offline) return { lines: ["not asked: --offline"], facts: null };
  const { environmentFiles, profile } = settings.engine;
  if (!environmentFiles) return { lines: [toNone(profile)], facts: null };
  try {
    const facts = await probeSources(settings);
    const lines = facts.map(({ label, trouble }) =>
      trouble === null
        ? `${label} answers`
        : `${label} cannot be used: ${trouble}`
    );
    return { lines, facts };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // An installed environment works all the same; the plan of one that is not
    // installed fails likewise.
    return { lines: [error.message], facts: null };
  }
}

/** @throws {UserError} If the environment is damaged, or could not be installed. */
export async function examine(
  settings: Settings,
  sources: ProbedSource[] | null = null,
): Promise<Finding<Json>> {
  const { environmentFiles, profile } = settings.engine;
  if (!environmentFiles) return { lines: [toNone(profile)], facts: null };
  const environment = await maybeInstalled(settings);
  if (!environment) return await plan(settings, sources);
  const { folder, python, packages, preloaded } = environment;
  const damaged = await damagedFiles(environment);
  if (damaged.length > 0) {
    throw new UserError(
      `The environment is damaged: ${damaged.join(", ")} in ${folder}. ` +
        "mcp-run-python install with the same options installs it anew.",
    );
  }
  const own = await settings.engine.examine?.(folder);
  const versions = packages.map(({ name, version }) => ({ name, version }));
  const list = packages.map(({ name, version }) => `${name} ${version}`);
  return {
    lines: [
      "complete, every file as installed",
      `Python ${python}, ${list.join(", ") || "no packages"}`,
      ...describePreloaded(preloaded),
      ...own?.lines ?? [],
      folder,
    ],
    facts: {
      state: "complete",
      folder,
      python,
      packages: versions,
      ...own?.facts,
    },
  };
}

const toNone = ({ label }: EngineProfile) => `none: ${label} takes no packages`;

/** The install that the next start would do. */
async function plan(
  settings: Settings,
  sources: ProbedSource[] | null,
): Promise<Finding<Json>> {
  const state = "not installed";
  const needsSources = settings.dependencies.length > 0 || settings.locked;
  if (needsSources && sources?.every(({ trouble }) => trouble !== null)) {
    throw new UserError(
      "The packages are not installed, and no source of packages can be used.",
    );
  }
  const planned = await withProgress((say) => planEnvironment(settings, say));
  // A plan prepares Python itself, which may be all that these options want.
  if (await maybeInstalled(settings)) return await examine(settings);
  const { python, packages } = planned;
  return {
    lines: [
      "not complete: the next start installs it (mcp-run-python install)",
      ...renderPlan(planned).trimEnd().split("\n"),
    ],
    facts: {
      state,
      python,
      packages: packages.map(({ name, version, size = null, cached }) => ({
        name,
        version,
        size,
        cached,
      })),
    },
  };
}

function describePreloaded(preloaded: Preloaded): string[] {
  const { modules, whilePreparing, broken } = preloaded;
  const inSnapshot = `imported in the snapshot: ${modules.join(", ")}`;
  return [
    ...(modules.length > 0 ? [inSnapshot] : []),
    ...whilePreparing.map(({ module, reason }) =>
      `imported while an interpreter is prepared: ${module}, which no snapshot can hold: ${reason}`
    ),
    ...broken.map(({ module, reason }) =>
      `cannot be imported: ${module}: ${reason}`
    ),
  ];
}

/** @throws {UserError} If these options ask for a wall that does not work here. */
export async function examineWall(
  { isolation: asked }: Settings,
): Promise<Finding<Json>> {
  const found = await tryBwrap();
  if ("wall" in found) {
    const { program } = found;
    const use = asked === "none" ? "could be used" : "is used";
    return {
      lines: [`${program} works and ${use}: --isolation ${asked}`],
      facts: { asked, works: true, program },
    };
  }
  const { reason, remedy } = found;
  return {
    lines: [`none, ${reason}`],
    facts: { asked, works: false, reason },
    problem: asked === "bwrap"
      ? `Cannot use --isolation bwrap: ${reason}. ${remedy}`
      : undefined,
  };
}

export function listPermissions(
  { allowNet, mounts, offline }: Settings,
): Finding<Json> {
  const { launcher, installer, offlineInstaller, ...others } = PERMISSIONS;
  const processes = {
    launcher,
    installer: offline ? offlineInstaller : installer,
    ...others,
  };
  const places = { ...mountPlaces(mounts), hosts: allowNet };
  const toWords = (scopes: readonly Scope[] = []): string[] =>
    scopes.filter((scope) => !isNowhere(scope, places))
      .flatMap((scope) => scope === "hosts" ? allowNet : scope);
  const rows = Object.entries(processes).map(([name, may]) => ({
    name,
    kinds: PERMISSION_KINDS.map((kind) => [kind, toWords(may[kind])] as const),
  }));
  return {
    lines: toTable([
      ["process", ...PERMISSION_KINDS],
      ...rows.map(({ name, kinds }) => [
        name,
        ...kinds.map(([, words]) => words.join(" ") || "-"),
      ]),
    ]),
    facts: Object.fromEntries(
      rows.map(({ name, kinds }) => [name, Object.fromEntries(kinds)]),
    ),
  };
}

/** The grants of options and policy, in words. */
export function listGrants(settings: Settings): Finding<Json> {
  const { timeoutSeconds, memoryMiB, maxOutput, cpuSeconds } = settings;
  const lines = explainGrants({
    ...toPythonGrants(settings),
    limits: {
      ...{ timeoutMs: timeoutSeconds * 1000, memoryMiB },
      ...(maxOutput === undefined ? {} : { maxOutput }),
      ...(cpuSeconds === undefined ? {} : { cpuSeconds }),
    },
  }, "Python");
  return { lines, facts: lines };
}

export function listMounts({ mounts }: Settings): Finding<Json> {
  const facts = mounts.map(({ isWritable: writable, host, guest }) => {
    return { host, guest, writable };
  });
  const rows = facts.map(({ host, guest, writable }) => {
    return [host, guest, writable ? "writable" : "read-only"];
  });
  return { lines: rows.length > 0 ? toTable(rows) : ["none"], facts };
}

/** @throws {UserError} If a file that the user names cannot be read. */
export function countServers(settings: Settings): Finding<Json> {
  if (!settings.codeMode) {
    return { lines: ["off: --code-mode turns it on"], facts: null };
  }
  const warn = () => {};
  const configurations = openConfigurations(settings, thisSystem(), { warn });
  const { servers, skipped, faults } = configurations.report();
  const facts = {
    servers: servers.length,
    skipped: skipped.length,
    faults: faults.length,
  };
  return {
    lines: [
      `${toCount(facts.servers, "server")}, ${facts.skipped} skipped`,
      ...faults.map(({ path, reason }) => `cannot be read: ${path}: ${reason}`),
      ...facts.skipped + facts.faults > 0
        ? ["mcp-run-python servers list says why"]
        : [],
    ],
    facts,
  };
}

/** The components of the options, and all that each may use. */
export function listComponents(settings: Settings): Finding<Json> {
  if (!settings.codeMode && settings.components.length === 0) {
    return { lines: ["none: --wasm names some"], facts: null };
  }
  const warn = () => {};
  const report = openConfigurations(settings, thisSystem(), { warn }).report();
  const warnings = componentWarnings(report);
  const found = report.servers.flatMap(({ entry }) => maybeWasm(entry) ?? []);
  const facts = found.map(({ name, file, sha256, policy = null, grants }) => ({
    ...{ name, file, sha256, policy },
    grants: explainGrants(grants, name),
  }));
  const lines = [
    ...facts.flatMap(({ name, file, grants }) => [
      `${name}: ${file}`,
      ...grants.map((line) => `  ${line}`),
    ]),
    ...warnings,
  ];
  return {
    lines: lines.length > 0 ? lines : ["none"],
    facts: { components: facts, warnings },
  };
}

export const NOT_TRIED: Finding<Json> = {
  lines: ["not tried, as the server would not work"],
  facts: null,
};

/** Runs code as a server with these options would; without the packages if they are not installed. */
export async function tryPython(settings: Settings): Promise<Finding<Json>> {
  const isWhole = !settings.engine.environmentFiles ||
    await maybeInstalled(settings) !== undefined;
  const { locked: _, ...rest } = settings;
  const wanted = isWhole ? settings : { ...rest, dependencies: [] };
  const started = performance.now();
  try {
    const prepared = await prepare({
      ...wanted,
      pool: 1,
      maxConcurrency: 1,
      logLevel: "error",
    });
    await using python = openPrepared(prepared);
    const { result } = await python.client.run({ type: "run", code: "6 * 7" });
    const ms = Math.round(performance.now() - started);
    if (result.status !== "success") throw new UserError(result.error);
    const value = result.returnValue;
    const without = isWhole ? "" : " without packages";
    const seconds = (ms / 1000).toFixed(1);
    return {
      lines: [`Python${without} starts in ${seconds} s, 6 * 7 = ${value}`],
      facts: { ms, value, complete: isWhole },
    };
  } catch (error) {
    throw new UserError(`Python does not start: ${messageOf(error)}`);
  }
}
