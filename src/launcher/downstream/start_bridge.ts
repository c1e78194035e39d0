import type { BridgeLimits, ToBridge } from "../../protocol/bridge_messages.ts";
import type { ServerEntry } from "../../protocol/downstream.ts";
import { maybe } from "../../errors.ts";
import { spawn } from "../spawn.ts";
import { transportOf } from "./transports/transport.ts";
import type { ScopePaths } from "../../grants/permissions.ts";

/** A bridge, and the first message that it is to get. */
export interface StartedBridge {
  process: Deno.ChildProcess;
  first: ToBridge & { type: "open" };
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
  const { entry: whole, places } = transportOf(entry).place();
  const process = spawn("bridge", {
    places: { ...NOWHERE, ...places },
    wall: groupEnd(),
    detached: Deno.build.os !== "windows",
    logs: true,
  });
  return { process, first: { type: "open", entry: whole, limits } };
}

const NOWHERE: ScopePaths = {
  cache: [],
  environment: [],
  runtime: [],
  program: [],
  sources: [],
};

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
