import { prepareCallInstalls } from "./installing/call_installs.ts";
import type { ScopePaths } from "../grants/scope_paths.ts";
import type { PoolSizes } from "../protocol/server_settings.ts";
import { largestMiB } from "../protocol/run_limits.ts";
import { refuseOwnFolders } from "./own_folders.ts";
import { ensureEnvironment } from "./installing/install.ts";
import { mountPlaces } from "../grants/mounts.ts";
import { type BrokerOptions, runBroker } from "./broker.ts";
import { dropPermissions } from "./drop_permissions.ts";
import { sandboxFlags } from "./flags.ts";
import { onInterrupt } from "./interrupt.ts";
import { findWall } from "./isolation.ts";
import { kill } from "./kill.ts";
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
import { type Settings, settingsFor } from "../settings.ts";
import { VERSION } from "../version.ts";
import { toPoolSizes } from "./pool_sizes.ts";

/** Connections of the server, and the run to do in place of serving. */
export interface ServeOptions
  extends
    Pick<BrokerOptions, "client" | "onFrame">,
    Pick<ServerSettings, "run"> {
  /** The server process, if it has already started. */
  server?: Deno.ChildProcess | undefined;
  /** Shows the events of an install until it ends. */
  showInstall?: ShowInstall;
  /** Starts sandbox processes in place of `spawn()`. */
  spawnSandbox?: typeof spawn;
}

/**
 * Does both phases: installs missing packages, then starts the server and
 * serves as its broker until it ends.
 *
 * @returns How the server ended.
 */
export async function serve(
  settings: Settings,
  { run, server, spawnSandbox = spawn, showInstall = silently, ...connections }:
    ServeOptions,
): Promise<Deno.CommandStatus> {
  if (server && settings.inspect === "server") {
    // It was started before the command line was read, without a debugger.
    kill(server);
    server = undefined;
  }
  const wall = await findWall(settings.isolation);
  // Holds its lock until the end, which takes no permission.
  using environment = await showInstall((report) =>
    ensureEnvironment(settings, report)
  );
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
    pool: run ? { ready: 1, running: 1, waiting: 1 } : toPoolSizes(settings),
    ...(run ? { run } : {}),
  };
  const { pool } = forServer;
  const { inspect } = settings;
  const installs = await prepareCallInstalls(settings, environment.folder);
  await dropPermissions();
  return await runBroker({
    ...connections,
    // A client cancels its requests itself.
    ...(run ? { interrupt: onInterrupt() } : {}),
    server: server ?? startServer(run ? "run" : "mcp", inspect === "server"),
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

/** Folders that no mount may change or show. */
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
