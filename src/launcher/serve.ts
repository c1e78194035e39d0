import { prepareCallInstalls } from "./installing/call_installs.ts";
import type { PermissionKind } from "../grants/permissions.ts";
import type { ScopePaths } from "../grants/scope_paths.ts";
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
import { kill } from "./kill.ts";
import { memoryWall } from "./memory_wall.ts";
import { toNetPlaces, toScopePaths } from "./find_scope_paths.ts";
import { DENO_DIR } from "./program_files.ts";
import { findPyodide } from "./find_pyodide.ts";
import type { ShowInstall } from "../environments/install_events.ts";
import { spawn } from "./spawn.ts";
import { startServer } from "./start_server.ts";
import type { SandboxSettings } from "../engines/index.ts";
import type { Json } from "../protocol/run_result.ts";
import type { Shell } from "../protocol/run_setup.ts";
import {
  MOST_POOLS,
  type PoolSizes,
  type ServerSettings,
} from "../protocol/server_settings.ts";
import { type Settings, settingsFor } from "../settings.ts";
import { VERSION } from "../version.ts";
import { toPoolSizes } from "./pool_sizes.ts";

/** The way to serve: to a client of MCP, or to this process's own calls. */
export interface ServeOptions
  extends Pick<BrokerOptions, "client" | "library" | "stop"> {
  server?: Deno.ChildProcess | undefined;
  /** The shell that a single run is for. */
  shell?: ShellSide;
  /** The permissions that this process keeps, for other work. */
  keptPermissions?: readonly PermissionKind[];
  spawnSandbox?: typeof spawn;
}

/** The launcher's side of a run for a shell. */
export interface ShellSide {
  setup: Shell;
  /**
   * Answers a call of the code; its arguments are data of a hostile guest.
   *
   * @throws {TypeError | RangeError} Python's `TypeError` or `ValueError`.
   */
  answer(name: string, args: unknown): Promise<Json>;
}

/** All that phase 2 needs; its environment stays in the cache until its disposal. */
export interface Prepared extends Disposable {
  settings: Settings;
  environment: HeldEnvironment;
  wall: Wall | undefined;
}

/**
 * Phase 1: installs missing packages.
 *
 * @throws {UserError} If the install fails.
 */
export async function prepare(
  settings: Settings,
  showInstall: ShowInstall = (work) => work(() => {}),
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

/** Phase 2: starts the server, and serves as its broker until it ends. */
export async function serve(
  { settings, environment, wall }: Prepared,
  {
    server,
    spawnSandbox = spawn,
    keptPermissions = [],
    shell,
    ...options
  }: ServeOptions,
): Promise<Deno.CommandStatus> {
  const { inspect } = settings;
  if (server && inspect === "server") {
    // It was started before the command line was read, without a debugger.
    kill(server);
    server = undefined;
  }
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
    engine: "pyodide",
    ...settingsFor("sandbox", settings),
    runtime: pyodide,
    environment: environment.folder,
  };
  const forServer: ServerSettings = {
    ...settingsFor("server", settings),
    mounts: settings.mounts.map(({ guest, isWritable }) => ({
      guest,
      isWritable,
    })),
    version: VERSION,
    environment,
    ...(shell ? { shell: shell.setup } : {}),
    pool: shell ? ONE_RUN : toPoolSizes(settings),
  };
  const installs = await prepareCallInstalls(settings, environment.folder);
  await dropPermissions(keptPermissions);
  return await runBroker({
    ...options,
    server: server ??
      startServer(options.library ? "library" : "mcp", inspect === "server"),
    install: installs.install,
    mostSandboxes: mostSandboxes(
      forServer.pool,
      settings.allowInstall.length > 0,
    ),
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
        inspect: inspect === "sandbox",
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

const ONE_RUN: PoolSizes = { ready: 1, running: 1, waiting: 1 };

/** Folders that no mount may change or show. */
function ownFolders(
  { cache, environment, pyodide, program }: ScopePaths,
): string[] {
  return [...cache, ...environment, ...pyodide, ...program]
    .concat(DENO_DIR, Deno.execPath())
    .map((path) => Deno.realPathSync(path));
}
