import { PERMISSIONS, type ProcessName } from "../grants/permissions.ts";
import type { ScopePaths } from "../grants/scope_paths.ts";
import { ENTRIES } from "./program.ts";
import { toDenoFlags } from "./flags.ts";
import { CERTIFICATES, NETWORK, VARIABLES } from "./variables.ts";

// Read when this file is loaded, as the broker gives up `env` and `read` later.
const DENO = Deno.execPath();

/** Processes that the launcher starts. */
export type ChildName = keyof typeof ENTRIES & ProcessName;

/** What to start, beside its name. */
export interface SpawnOptions {
  /** Where its permissions are; for a process that has some. */
  places?: ScopePaths;
  /** Its argument, as JSON. */
  argument?: unknown;
  /** Program and arguments that start it, instead of Deno by itself. */
  wall?: string[] | undefined;
  /** Extra flags of `deno run`. */
  flags?: string[];
  /** Whether its logs are shown. */
  logs: boolean;
}

/**
 * Starts one of this program's processes with the permissions of its row in the
 * table, and nearly no environment.
 */
export function spawn(
  name: ChildName,
  { places, argument, wall = [], flags = [], logs }: SpawnOptions,
): Deno.ChildProcess {
  const [program = DENO, ...before] = [...wall, DENO];
  return new Deno.Command(program, {
    args: [
      ...before,
      "run",
      ...spawnFlags(name, places),
      ...flags,
      ENTRIES[name].href,
      ...(argument === undefined ? [] : [JSON.stringify(argument)]),
    ],
    clearEnv: true,
    env: {
      ...VARIABLES,
      ...(name === "installer" ? NETWORK : {}),
      ...(places?.hosts?.length ? CERTIFICATES : {}),
    },
    stdin: "piped",
    stdout: "piped",
    stderr: logs ? "inherit" : "null",
  }).spawn();
}

/** Flags that each process has by its row of the table. */
export function spawnFlags(name: ChildName, places?: ScopePaths): string[] {
  return [
    "--quiet",
    // A sandbox must not be able to have npm packages fetched for it.
    "--cached-only",
    ...toDenoFlags(PERMISSIONS[name], places),
  ];
}
