import { prepareCallInstalls } from "./installing/call_installs.ts";
import type { ScopePaths } from "../grants/scope_paths.ts";
import type { PoolSizes } from "../protocol/server_settings.ts";
import { largestMiB } from "../protocol/run_limits.ts";
import { refuseOwnFolders } from "./own_folders.ts";
import {
  ensureEnvironment,
  type HeldEnvironment,
} from "./installing/install.ts";
import { mountPlaces } from "../grants/mounts.ts";
import { type BrokerOptions, runBroker } from "./broker.ts";
import { dropPermissions } from "./drop_permissions.ts";
import { sandboxFlags } from "./flags.ts";
import { findWall, type Wall } from "./isolation.ts";
import { memoryWall } from "./memory_wall.ts";
import { toNetPlaces, toScopePaths } from "./scope_paths.ts";
import { DENO_DIR } from "./program_files.ts";
import { findPyodide } from "./find_pyodide.ts";
import type { ShowInstall } from "../environments/install_events.ts";
import { spawn } from "./spawn.ts";
import { startServer } from "./start_server.ts";
import type { SandboxSettings } from "../engines/sandbox_settings.ts";
import {
  MOST_POOLS,
  type ServerSettings,
} from "../protocol/server_settings.ts";
import type { Settings } from "../settings.ts";
import { VERSION } from "../version.ts";
import { toPoolSizes } from "./pool_sizes.ts";

/** How to serve: to a client of MCP, or to this process's own calls. */
export interface ServeOptions
  extends Pick<BrokerOptions, "client" | "own" | "stop"> {
  /** The server process, if it was started already. */
  server?: Deno.ChildProcess | undefined;
  /** How much the pool may hold, if that is not for the settings to say. */
  pool?: PoolSizes;
  /** Whether this process has other work, for which it keeps its permissions. */
  keepsPermissions?: boolean;
  /** How sandbox processes are started, if otherwise. */
  spawnSandbox?: typeof spawn;
}

/** What phase 2 needs; its environment stays in the cache until it is disposed of. */
export interface Prepared extends Disposable {
  settings: Settings;
  environment: HeldEnvironment;
  wall: Wall | undefined;
}

/**
 * Phase 1: installs what is missing.
 *
 * @param showInstall Shows the events of an install until it ends.
 * @throws {UserError} If the environment cannot be had.
 */
export async function prepare(
  settings: Settings,
  showInstall: ShowInstall = silently,
): Promise<Prepared> {
  const wall = await findWall(settings.isolation);
  const environment = await showInstall((report) =>
    ensureEnvironment(settings, report)
  );
  return {
    ...{ settings, environment, wall },
    [Symbol.dispose]: () => environment[Symbol.dispose](),
  };
}

/**
 * Phase 2: starts the server, and stays as its broker until it ends.
 *
 * @returns How the server ended.
 */
export async function serve(
  { settings, environment, wall }: Prepared,
  { server, spawnSandbox = spawn, keepsPermissions = false, ...options }:
    ServeOptions,
): Promise<Deno.CommandStatus> {
  const pyodide = findPyodide(settings.pyodide);
  const places = {
    ...toScopePaths(settings.cacheDir, environment.folder, pyodide.folder),
    ...toNetPlaces(settings.allowNet),
    ...mountPlaces(settings.mounts),
  };
  if (settings.mounts.length > 0) {
    refuseOwnFolders(settings.mounts, ownFolders(places), Deno.build);
  }
  const sandbox: SandboxSettings = {
    runtime: pyodide,
    environment: environment.folder,
    memoryMiB: settings.memoryMiB,
    maxFilesMiB: settings.maxFilesMiB,
    maxFiles: settings.maxFiles,
    hosts: settings.allowNet,
    mounts: settings.mounts,
    ...(settings.cpuSeconds ? { cpuSeconds: settings.cpuSeconds } : {}),
  };
  const forServer: ServerSettings = {
    // Not all: what packages come from can have credentials.
    returnMode: settings.returnMode,
    structured: settings.structured,
    timeoutSeconds: settings.timeoutSeconds,
    maxTimeoutSeconds: settings.maxTimeoutSeconds,
    startTimeoutSeconds: settings.startTimeoutSeconds,
    maxOutput: settings.maxOutput,
    maxCode: settings.maxCode,
    maxHostCalls: settings.maxHostCalls,
    maxHostCallSize: settings.maxHostCallSize,
    hostCallTimeoutSeconds: settings.hostCallTimeoutSeconds,
    maxImages: settings.maxImages,
    maxImageMiB: settings.maxImageMiB,
    allowInstall: settings.allowInstall,
    allowNet: settings.allowNet,
    // To each run, and so not among the arguments of a process.
    variables: settings.variables,
    maxFilesMiB: settings.maxFilesMiB,
    maxFiles: settings.maxFiles,
    maxStoredFilesMiB: settings.maxStoredFilesMiB,
    fileTools: settings.fileTools,
    mounts: settings.mounts.map(({ guest, isWritable }) => ({
      guest,
      isWritable,
    })),
    version: VERSION,
    environment,
    pool: options.pool ?? toPoolSizes(settings),
  };
  const { pool } = forServer;
  const installs = await prepareCallInstalls(settings, environment.folder);
  if (!keepsPermissions) await dropPermissions();
  return await runBroker({
    ...options,
    server: server ?? startServer(options.own ? "own calls" : "mcp"),
    install: installs.install,
    mostSandboxes: mostSandboxes(pool, settings.allowInstall.length > 0),
    startSandbox(number) {
      const folder = installs.folderOf(number);
      const itsPlaces = { ...places, environment: [folder] };
      return spawnSandbox("sandbox", {
        places: itsPlaces,
        wall: [
          ...memoryWall(largestMiB(settings), folder),
          ...wall?.(itsPlaces) ?? [],
        ],
        argument: { ...sandbox, environment: folder },
        flags: sandboxFlags(settings.memoryMiB),
        logs: settings.verbose,
      });
    },
    settings: forServer,
  });
}

/**
 * Processes that the server may have at a time: those of each pool, and as many
 * that are about to end.
 */
function mostSandboxes({ ready, running }: PoolSizes, mayInstall: boolean) {
  const pools = mayInstall ? 1 + MOST_POOLS : 1;
  return 2 * pools * Math.max(ready, running) + 1;
}

/** What no mount may change, or show. */
function ownFolders(
  { cache, environment, pyodide, program }: ScopePaths,
): string[] {
  return [...cache, ...environment, ...pyodide, ...program]
    .concat(DENO_DIR, Deno.execPath())
    .map((path) => Deno.realPathSync(path));
}

function silently<T>(work: (report: () => void) => Promise<T>): Promise<T> {
  return work(() => {});
}
