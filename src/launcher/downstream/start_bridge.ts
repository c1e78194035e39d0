import { maybe, UserError } from "../../errors.ts";
import type { Denied } from "../../grants/guest_grants.ts";
import { widen } from "../../grants/widen.ts";
import type { BridgeLimits, ToBridge } from "../../protocol/bridge_messages.ts";
import {
  type ListedServer,
  maybeWasm,
  type ServerEntry,
} from "../../protocol/downstream.ts";
import { realPathOf } from "../find_scope_paths.ts";
import type { Settings } from "../../settings.ts";
import {
  type ComponentPlace,
  startComponent,
} from "../components/start_component.ts";
import { spawn } from "../spawn.ts";
import type { Configurations } from "./configurations.ts";
import { revisionOf, transportOf } from "./transports/transport.ts";

/** The downstream servers, as the broker needs them. */
export interface Downstream {
  list(): ListedServer[];
  /**
   * @throws {UserError} If there is no such server, or it cannot be started.
   */
  start(name: string, revision: string, agreed: Agreed): StartedBridge;
}

/** What the user has agreed to while this program serves. */
export interface Agreed {
  /** Whether this very revision of an entry may start. */
  isAgreed: boolean;
  /** What a component may use beside its policy's grants. */
  granted: readonly Denied[];
}

/** Lists the configured servers without their secrets, and starts their bridges. */
export function toDownstream(
  configurations: Pick<Configurations, "list" | "find" | "isFirst">,
  settings: Pick<Settings, "startTimeoutSeconds" | "maxHostCallSize">,
  place: ComponentPlace,
): Downstream {
  const startMs = settings.startTimeoutSeconds * 1000;
  const limits = { startMs, maxResult: settings.maxHostCallSize };
  return {
    list: () => configurations.list(),
    start(name, revision, { isAgreed, granted }) {
      const entry = configurations.find(name);
      if (!entry) {
        throw new UserError(
          `There is no server "${name}" any more: it was taken out of its file.`,
        );
      }
      if (revisionOf(entry) !== revision) {
        throw new UserError(
          `The server "${name}" has another entry now: its file has changed.`,
        );
      }
      // Code may have had a server of files write the file.
      if (!isAgreed && !configurations.isFirst(name, revision)) {
        throw new UserError(
          `The server "${name}" has another entry than at the start, to which the user has not agreed.`,
        );
      }
      return startServerOf(entry, limits, place, granted);
    },
  };
}

/** Starts the process that answers for a downstream server. */
export function startServerOf(
  entry: ServerEntry,
  limits: BridgeLimits,
  place: ComponentPlace,
  granted: readonly Denied[] = [],
): StartedBridge {
  const wasm = maybeWasm(entry);
  if (!wasm) return startBridge(entry, limits);
  const grants = widen(
    wasm.grants,
    // A link that the user has agreed to may lead to this program's own folders.
    granted.map((one) =>
      "path" in one ? { ...one, path: realPathOf(one.path) } : one
    ),
  );
  return startComponent({ ...wasm, grants }, limits, place);
}

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
    places,
    wall: groupEnd(),
    detached: Deno.build.os !== "windows",
    logs: true,
  });
  return { process, first: { type: "open", entry: whole, limits } };
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
