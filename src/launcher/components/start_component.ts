import { join } from "node:path";
import { toGuestPlaces } from "../../grants/policy_file/guest_places.ts";
import type { BridgeLimits, ToBridge } from "../../protocol/bridge_messages.ts";
import type { ServerEntry, WasmEntry } from "../../protocol/downstream.ts";
import type { Settings } from "../../settings.ts";
import {
  type PrivateFolder,
  refuseOwnFolders,
  refuseToShow,
} from "../../grants/policy.ts";
import { SESSIONS, STATE } from "../keepers.ts";
import { realPathOf, toScopePaths } from "../find_scope_paths.ts";
import { DENO_DIR } from "../program_files.ts";
import { findWall, type Wall } from "../isolation.ts";
import { memoryWall } from "../memory_wall.ts";
import { spawn } from "../spawn.ts";

/** The places and walls that processes of components have in common. */
export interface ComponentPlace {
  cacheDir: string;
  /** Absolute paths of this program's source. */
  program: readonly string[];
  /** Folders that this program runs from, which no component may see. */
  own: readonly string[];
  /** Files of the user's choices, and the log: no component may write them. */
  unwritten: readonly string[];
  /** Folders of what this program keeps for all callers. */
  kept: readonly { folder: string; words: PrivateFolder }[];
  /** Addresses of this machine, to which no granted name may lead. */
  ownAddresses: readonly string[];
  wall: Wall | undefined;
  /** Program and arguments that lower the priority. */
  nice: readonly string[];
  /** The port of this server, which no component may reach. */
  ownPort?: number;
  logs: boolean;
}

/** Increase it if slots of earlier programs would be read wrongly. */
const SLOT_FORMAT = 1;

/**
 * Makes a folder before it runs the rest: the second wall shows only those that are
 * there, and the broker may run programs, but write nothing.
 */
const MAKE_FOLDER = ["/bin/sh", "-c", 'mkdir -p "$0" 2>/dev/null; exec "$@"'];

/** MiB of memory that an instance may take, if its policy does not say. */
export const USUAL_MEMORY_MIB = 256;
/** MiB of JavaScript, of each thread: what a component has is not among them. */
const HEAP_MIB = 512;
const V8_FLAGS = [
  "--disallow-code-generation-from-strings",
  `--max-old-space-size=${HEAP_MIB}`,
];
/** MiB that the process maps or takes beside its instances. */
const PROCESS_MIB = 2048;

/** The places of this machine; to be found before this process gives its permissions up. */
export async function findComponentPlace(
  settings: Pick<
    Settings,
    | ("cacheDir" | "isolation" | "logLevel" | "logFile")
    | ("components" | "mcpConfig" | "stateDir" | "sessionStore")
  >,
): Promise<ComponentPlace> {
  const { cacheDir, isolation, logLevel, logFile } = settings;
  const { components, mcpConfig, stateDir, sessionStore } = settings;
  const { program } = toScopePaths(cacheDir, []);
  const files = [
    ...[logFile, ...mcpConfig, ...components.map(({ policy }) => policy)],
  ];
  const kept = [[stateDir, STATE], [sessionStore, SESSIONS]] as const;
  return {
    cacheDir,
    program,
    own: [cacheDir, ...program, DENO_DIR, Deno.execPath()].map(realPathOf),
    unwritten: files.filter((file) => file !== undefined).map(realPathOf),
    kept: kept.flatMap(([folder, words]) =>
      folder === undefined ? [] : [{ folder: realPathOf(folder), words }]
    ),
    ownAddresses: Deno.networkInterfaces().map(({ address }) => address),
    wall: await findWall(isolation),
    nice: [],
    logs: logLevel === "debug",
  };
}

/**
 * Starts the process of a component, with its policy's grants, behind the walls of
 * Python.
 *
 * @throws {UserError} If a granted folder is one that this program runs from.
 */
export function startComponent(
  entry: ServerEntry & WasmEntry,
  limits: BridgeLimits,
  { cacheDir, wall, nice, logs, own, unwritten, kept, ...rest }: ComponentPlace,
): { process: Deno.ChildProcess; first: ToBridge & { type: "open" } } {
  const { file, sha256, policy, grants } = entry;
  const mounts = grants.paths.map(({ host, guest, access }) => ({
    ...{ host, guest, isWritable: access.includes("write") },
  }));
  // What it writes there would count from its next start.
  const policies = policy === undefined ? [] : [realPathOf(policy)];
  refuseOwnFolders(mounts, [...own, ...unwritten, ...policies], Deno.build);
  for (const { folder, words } of kept) {
    refuseToShow(mounts, folder, Deno.build, words);
  }
  const slot = join(cacheDir, "components", `${sha256}-${SLOT_FORMAT}`);
  const places = {
    ...toGuestPlaces(grants),
    ...{ ...rest, component: [file], slot: [slot] },
  };
  const { memoryMiB = USUAL_MEMORY_MIB } = grants.limits;
  const process = spawn("component", {
    places,
    wall: [
      ...nice,
      ...memoryWall(PROCESS_MIB + 2 * memoryMiB),
      ...(wall ? [...MAKE_FOLDER, slot, ...wall(places)] : []),
    ],
    flags: [`--v8-flags=${V8_FLAGS.join(",")}`],
    logs,
  });
  return { process, first: { type: "open", entry, limits, slot } };
}
