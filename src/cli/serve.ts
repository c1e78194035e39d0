import { prepareCallInstalls } from "../install/for_calls.ts";
import { ensureEnvironment } from "../install/install.ts";
import { mountPlaces } from "../grants/mounts.ts";
import { type BrokerOptions, runBroker } from "../launch/broker.ts";
import { dropPermissions } from "../launch/drop.ts";
import { type Places, sandboxFlags } from "../launch/flags.ts";
import { onInterrupt } from "../launch/interrupt.ts";
import { findWall } from "../launch/isolation.ts";
import { memoryWall } from "../launch/memory_wall.ts";
import { placesFor, toNetPlaces } from "../launch/places.ts";
import { DENO_DIR } from "../launch/program_files.ts";
import { findPyodide } from "../launch/pyodide.ts";
import { spawn } from "../launch/spawn.ts";
import { startServer } from "../launch/start_server.ts";
import type { PoolSizes } from "../pool/pool.ts";
import type { PyodideOptions } from "../sandbox/engines/pyodide/host.ts";
import { largestMiB, type RunLimits } from "../sandbox/limits.ts";
import { MOST_POOLS, type ServerSettings } from "../server/settings.ts";
import type { Settings } from "../settings.ts";
import { VERSION } from "../version.ts";
import { refuseOwnFolders } from "./mounts.ts";
import { toPoolSizes } from "./pool_sizes.ts";
import { withProgress } from "./progress.ts";

/** What to serve. */
export interface ServeOptions
  extends
    Pick<BrokerOptions, "client" | "onFrame">,
    Pick<ServerSettings, "run"> {
  /** The server process, if it was started already. */
  server?: Deno.ChildProcess | undefined;
  /** How sandbox processes are started, if otherwise. */
  spawnSandbox?: typeof spawn;
}

/**
 * Both phases: installs what is missing, then starts the server and stays as
 * its broker until it ends.
 *
 * @returns How the server ended.
 */
export async function serve(
  settings: Settings,
  { run, server, spawnSandbox = spawn, ...connections }: ServeOptions,
): Promise<Deno.CommandStatus> {
  const wall = await findWall(settings.isolation);
  // Held until the end, without the permissions that it takes to hold it.
  using environment = await withProgress((report) =>
    ensureEnvironment(settings, report)
  );
  const pyodide = findPyodide(settings.pyodide);
  const places = {
    ...placesFor(settings.cacheDir, environment.folder, pyodide.folder),
    ...toNetPlaces(settings.allowNet),
    ...mountPlaces(settings.mounts),
  };
  if (settings.mounts.length > 0) {
    refuseOwnFolders(settings.mounts, ownFolders(places), Deno.build);
  }
  const sandbox: PyodideOptions & RunLimits = {
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
    pool: run ? { ready: 1, running: 1, waiting: 1 } : toPoolSizes(settings),
    ...(run ? { run } : {}),
  };
  const { pool } = forServer;
  const installs = await prepareCallInstalls(settings, environment.folder);
  await dropPermissions();
  return await runBroker({
    ...connections,
    // A client says itself what is to stop.
    ...(run ? { interrupt: onInterrupt() } : {}),
    server: server ?? startServer(run ? "run" : "mcp"),
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
  { cache, environment, pyodide, program }: Places,
): string[] {
  return [...cache, ...environment, ...pyodide, ...program]
    .concat(DENO_DIR, Deno.execPath())
    .map((path) => Deno.realPathSync(path));
}
