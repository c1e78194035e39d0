import { prepareCallInstalls } from "../install/for_calls.ts";
import { ensureEnvironment } from "../install/install.ts";
import { type BrokerOptions, runBroker } from "../launch/broker.ts";
import { dropPermissions } from "../launch/drop.ts";
import { findWall } from "../launch/isolation.ts";
import { placesFor } from "../launch/places.ts";
import { findPyodide } from "../launch/pyodide.ts";
import { spawn } from "../launch/spawn.ts";
import { startServer } from "../launch/start_server.ts";
import type { PyodideOptions } from "../sandbox/engines/pyodide/host.ts";
import type { ServerSettings } from "../server/settings.ts";
import type { Settings } from "../settings.ts";
import { VERSION } from "../version.ts";
import { toPoolSizes } from "./pool_sizes.ts";
import { withProgress } from "./progress.ts";

/** What closes `eval` and `Function`, and bounds JavaScript's own memory. */
const SANDBOX_FLAGS = [
  "--v8-flags=--disallow-code-generation-from-strings,--max-old-space-size=512",
];

/** What to serve. */
export interface ServeOptions
  extends
    Pick<BrokerOptions, "client" | "onFrame">,
    Pick<ServerSettings, "run"> {
  /** The server process, if it was started already. */
  server?: Deno.ChildProcess | undefined;
}

/**
 * Both phases: installs what is missing, then starts the server and stays as
 * its broker until it ends.
 *
 * @returns How the server ended.
 */
export async function serve(
  settings: Settings,
  { run, server, ...connections }: ServeOptions,
): Promise<Deno.CommandStatus> {
  const wall = await findWall(settings.isolation);
  // Held until the end, without the permissions that it takes to hold it.
  using environment = await withProgress((report) =>
    ensureEnvironment(settings, report)
  );
  const pyodide = findPyodide(settings.pyodide);
  const places = placesFor(
    settings.cacheDir,
    environment.folder,
    pyodide.folder,
  );
  const sandbox: PyodideOptions = {
    runtime: pyodide,
    environment: environment.folder,
    memoryMiB: settings.memoryMiB,
  };
  const forServer: ServerSettings = {
    // Not all: what packages come from can have credentials.
    returnMode: settings.returnMode,
    structured: settings.structured,
    timeoutSeconds: settings.timeoutSeconds,
    maxTimeoutSeconds: settings.maxTimeoutSeconds,
    maxOutput: settings.maxOutput,
    maxCode: settings.maxCode,
    allowInstall: settings.allowInstall,
    version: VERSION,
    environment,
    pool: run ? { ready: 1, running: 1, waiting: 1 } : toPoolSizes(settings),
    ...(run ? { run } : {}),
  };
  const installs = await prepareCallInstalls(settings, environment.folder);
  await dropPermissions();
  return await runBroker({
    ...connections,
    server: server ?? startServer(run ? "run" : "mcp"),
    install: installs.install,
    startSandbox(number) {
      const folder = installs.folders.get(number) ?? environment.folder;
      const itsPlaces = { ...places, environment: [folder] };
      return spawn("sandbox", {
        places: itsPlaces,
        wall: wall?.(itsPlaces),
        argument: { ...sandbox, environment: folder },
        flags: SANDBOX_FLAGS,
        logs: settings.verbose,
      });
    },
    settings: forServer,
  });
}
