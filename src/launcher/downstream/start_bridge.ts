import { resolve } from "node:path";
import { UserError } from "../../errors.ts";
import type { ScopePaths } from "../../grants/scope_paths.ts";
import type { BridgeLimits, ToBridge } from "../../protocol/bridge_messages.ts";
import type {
  HttpEntry,
  ServerEntry,
  StdioEntry,
} from "../../protocol/downstream.ts";
import { toHostPort } from "../find_scope_paths.ts";
import { maybe } from "../maybe.ts";
import { spawn } from "../spawn.ts";
import { DOWNSTREAM } from "../variables.ts";
import { resolveCommand } from "./resolve_command.ts";

/** A bridge, and the first message that it is to get. */
export interface StartedBridge {
  process: Deno.ChildProcess;
  open: ToBridge & { type: "open" };
}

/**
 * Starts a bridge with the rights that one entry needs: to run its command, or to
 * reach its host.
 *
 * @throws {UserError} If the entry's command or address cannot be used.
 */
export function startBridge(
  entry: ServerEntry,
  limits: BridgeLimits,
): StartedBridge {
  const { entry: whole, places } = entry.transport === "stdio"
    ? toProgram(entry)
    : toHost(entry);
  const process = spawn("bridge", {
    places: { ...NOWHERE, ...places },
    wall: groupEnd(),
    detached: Deno.build.os !== "windows",
    logs: true,
  });
  return { process, open: { type: "open", entry: whole, limits } };
}

const NOWHERE: ScopePaths = {
  ...{ cache: [], environment: [], runtime: [], program: [], sources: [] },
};

type Placed = { entry: ServerEntry; places: Partial<ScopePaths> };

function toProgram(entry: ServerEntry & StdioEntry): Placed {
  const { name, command } = entry;
  const env = { ...DOWNSTREAM, ...entry.env };
  const cwd = resolve(entry.cwd ?? ".");
  const program = resolveCommand(command, { env, cwd }, {
    os: Deno.build.os,
    isProgram,
  });
  if (program === undefined) {
    throw new UserError(
      `Cannot start the server "${name}": there is no program "${command}" ${
        /[/\\]/.test(command) ? `in ${cwd}` : "on the PATH"
      }. Install it, or write its whole path as the command.`,
    );
  }
  if (program.includes(",")) {
    throw new UserError(
      `Cannot start the server "${name}": the path of its program, "${program}", has a comma, which Deno takes for the end of a path. Move the program, or link to it from a path without a comma.`,
    );
  }
  if (entry.cwd !== undefined && !maybe(() => Deno.statSync(cwd).isDirectory)) {
    throw new UserError(
      `Cannot start the server "${name}": its working folder, "${cwd}", is not a folder. Make it, or change the entry's cwd.`,
    );
  }
  return {
    entry: { ...entry, command: program, env, cwd },
    places: { serverProgram: [program] },
  };
}

function toHost(entry: ServerEntry & HttpEntry): Placed {
  const url = URL.parse(entry.url);
  if (!url || !["http:", "https:"].includes(url.protocol)) {
    throw new UserError(
      `Cannot reach the server "${entry.name}": its url must begin with http:// or https://.`,
    );
  }
  return { entry, places: { serverHost: [toHostPort(url)] } };
}

function isProgram(path: string): boolean {
  const info = maybe(() => Deno.statSync(path));
  if (!info?.isFile) return false;
  return Deno.build.os === "windows" || ((info.mode ?? 0) & 0o111) !== 0;
}

/**
 * A shell around the bridge, which ends the whole group of processes once the bridge
 * is gone: a program such as `npx` starts another, which may not end by itself, and a
 * bridge may not end processes that it has not started.
 */
function groupEnd(): string[] {
  const hasShell = Deno.build.os !== "windows" &&
    maybe(() => Deno.statSync(SHELL).isFile);
  return hasShell
    ? [SHELL, "-c", 'unset PWD OLDPWD SHLVL; "$@"; kill -9 -$$', "bridge"]
    : [];
}

const SHELL = "/bin/sh";
