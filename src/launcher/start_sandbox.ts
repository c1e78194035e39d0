import type { EngineRow, FoundRuntime } from "../engines/engine.ts";
import type { ScopePaths } from "../grants/permissions.ts";
import { bareDomains } from "../grants/hosts.ts";
import type { PolicyInUse } from "../grants/refusal.ts";
import { toOwnReads } from "../grants/start_worker.ts";
import { largestMiB, type SandboxSettings } from "../protocol/run_limits.ts";
import { type Settings, settingsFor } from "../settings.ts";
import type { ServerInstalls } from "./installing/server_installs.ts";
import type { Wall } from "./isolation.ts";
import { memoryWall } from "./memory_wall.ts";
import type { spawn } from "./spawn.ts";

/** An engine that is served, with its own files on this machine. */
export interface ServedEngine {
  row: EngineRow;
  runtime: FoundRuntime;
}

/**
 * Finds the files of all engines that settings name, the first engine's first.
 *
 * @throws {UserError} If a folder of the user's does not hold them.
 */
export async function findEngines(
  { engine, otherEngines, runtimeFolder }: Pick<
    Settings,
    "engine" | "otherEngines" | "runtimeFolder"
  >,
): Promise<ServedEngine[]> {
  const rows = [engine, ...otherEngines];
  return await Promise.all(rows.map(async (row) => ({
    row,
    // The folder is an option of the engine that has packages.
    runtime: await row.findRuntime(row === engine ? runtimeFolder : undefined),
  })));
}

export interface SandboxStarterOptions {
  /** Those that the user grants, and those of this program. */
  places: ScopePaths;
  wall: Wall | undefined;
  /** Program and arguments that lower the priority. */
  nice: readonly string[];
  /** Whether runs are audited. */
  audits: boolean;
  installs: Pick<ServerInstalls, "folderOf" | "isDone">;
  spawnSandbox: typeof spawn;
}

/**
 * Gives the function that starts a sandbox process of an engine in an environment. The
 * process gets what the engine's row says, and reads the files of no other engine.
 */
export function sandboxStarter(
  engines: readonly ServedEngine[],
  settings: Settings,
  { places, wall, nice, audits, installs, spawnSandbox }: SandboxStarterOptions,
): (engine: string, environment: string) => Deno.ChildProcess {
  return (name, id) => {
    const found = engines.find(({ row }) => row.profile.name === name);
    if (!found) throw new RangeError(`there is no engine "${name}"`);
    const { row, runtime } = found;
    // This process has its permissions until then.
    if (!installs.isDone) {
      throw new RangeError("its packages are not there yet");
    }
    const folder = row.environmentFiles ? installs.folderOf(id) : "";
    const itsPlaces = {
      ...places,
      runtime: runtime.places,
      environment: folder === "" ? [] : [folder],
    };
    const { host, profile: { rehearsal }, stackKiB } = row;
    const ownReads = toOwnReads(itsPlaces);
    const argument: SandboxSettings = {
      engine: { host: host.href, rehearsal },
      ...settingsFor("sandbox", settings),
      ...{ runtime: runtime.files, environment: folder },
      ...(stackKiB ? { stackKiB } : {}),
      ...(audits ? { audits } : {}),
      ...(ownReads.length > 0 ? { ownReads } : {}),
      ...(settings.policy === undefined
        ? {}
        : { policy: toPolicyInUse(settings) }),
    };
    return spawnSandbox("sandbox", {
      places: itsPlaces,
      wall: [
        ...nice,
        ...memoryWall(row.mappedMiB + largestMiB(settings), folder),
        ...wall?.(itsPlaces) ?? [],
      ],
      argument,
      flags: row.flags(settings.memoryMiB),
      inspect: settings.inspect === "sandbox",
      logs: settings.logLevel === "debug",
    });
  };
}

/** The denials that a policy has itself, as messages name them. */
function toPolicyInUse(
  { allowNet, deniedHosts = [] }: Pick<Settings, "allowNet" | "deniedHosts">,
): PolicyInUse {
  const domains = bareDomains(allowNet);
  return { deniedHosts: deniedHosts.filter((host) => !domains.includes(host)) };
}
