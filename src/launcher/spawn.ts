import { parse } from "node:path";
import { maybe } from "../errors.ts";
import {
  PERMISSIONS,
  type ProcessName,
  type ScopePaths,
} from "../grants/permissions.ts";
import { ENTRIES } from "./program.ts";
import { toDenoFlags } from "./flags.ts";
import { CERTIFICATES, NETWORK, TELEMETRY, VARIABLES } from "./variables.ts";

// Reads it while this file loads: the broker gives up `env` and `read` later.
const DENO = Deno.execPath();

/**
 * The folder of processes that need none. A user can be in a folder that this process
 * may not enter, as after `sudo`: its children could not start there.
 */
export const CHILD_FOLDER: string =
  maybe(() => Deno.statSync(`${Deno.cwd()}/.`) && Deno.cwd()) ??
    parse(DENO).root;

export type ChildName = keyof typeof ENTRIES & ProcessName;

export interface SpawnOptions {
  places?: ScopePaths;
  argument?: unknown;
  /** Program and arguments that start it, instead of Deno by itself. */
  wall?: string[] | undefined;
  flags?: string[];
  /** Whether it leads a group of processes of its own. */
  detached?: boolean;
  logs: boolean;
  /** Whether debuggers of this machine may attach; its logs say where. */
  inspect?: boolean;
}

/** Gives the process the permissions of its row in the table, and nearly no environment. */
export function spawn(
  name: ChildName,
  { places, argument, wall = [], flags = [], detached = false, logs, inspect }:
    SpawnOptions,
): Deno.ChildProcess {
  const [program = DENO, ...before] = [...wall, DENO];
  return new Deno.Command(program, {
    args: [
      ...before,
      "run",
      ...spawnFlags(name, places, inspect),
      ...flags,
      ENTRIES[name].href,
      ...(argument === undefined ? [] : [JSON.stringify(argument)]),
    ],
    clearEnv: true,
    cwd: CHILD_FOLDER,
    detached,
    env: {
      ...VARIABLES,
      ...(name === "installer" ? NETWORK : {}),
      ...(name === "server" ? TELEMETRY : {}),
      ...(places?.hosts?.length || places?.issuer?.length ? CERTIFICATES : {}),
      ...(places?.serverHost?.length ? NETWORK : {}),
    },
    stdin: "piped",
    stdout: "piped",
    stderr: logs || inspect ? "inherit" : "null",
  }).spawn();
}

/** How a process ended: by its signal, or with `code 1`. */
export function howEnded({ signal, code }: Deno.CommandStatus): string {
  return signal ?? `code ${code}`;
}

export function spawnFlags(
  name: ChildName,
  places?: ScopePaths,
  inspect = false,
): string[] {
  return [
    // Deno that is quiet does not say where debuggers attach.
    inspect ? "--inspect=127.0.0.1:0" : "--quiet",
    // A sandbox must not be able to have npm packages fetched for it.
    "--cached-only",
    ...toDenoFlags(PERMISSIONS[name], places),
  ];
}

/** Ends a process at once, unless it has ended. */
export function kill(process: Deno.ChildProcess): void {
  maybe(() => process.kill("SIGKILL"));
}
