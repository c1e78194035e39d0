// The kinds of processes that the server may ask for.
import { FROM_BRIDGE_LINE, FROM_SANDBOX_LINE } from "../protocol/bounds.ts";
import { MOST_BRIDGES } from "../protocol/bridge_messages.ts";
import { parseDenied } from "../grants/guest_grants.ts";
import { fields } from "../protocol/fields.ts";
import type { LineBounds } from "../protocol/lines.ts";
import { PIECE_BYTES } from "../protocol/run_files.ts";
import { KEEPER_BODY, KEEPER_LINE } from "../protocol/keeper_messages.ts";
import type { Downstream } from "./downstream/start_bridge.ts";

/** All that the broker knows of the processes of a kind. */
export interface Kind {
  /** The processes, in a sentence. */
  plural: string;
  /** Processes at a time; those that are about to end count. */
  most: number;
  /** The longest line of a process, its token included, and the longest body. */
  longest: LineBounds;
  /**
   * Whether a stranger's code runs in the process: its first line of input is a
   * token, and each of its lines starts with it. Python may write to the real stdout.
   */
  isHostile?: true;
  /** Time to end once its input has ended; a process of other kinds is killed. */
  leaveMs?: number;
  /** @throws {Error} If the spec is not one of this kind, or names what is not there. */
  start(spec: unknown): StartedChild;
}

export interface StartedChild {
  process: Deno.ChildProcess;
  /** Its first message, which is not the server's to know. */
  first?: object;
}

export type Kinds = Readonly<Record<string, Kind>>;

/** Longer than a bridge waits for its downstream server. */
const LEAVE_MS = 6000;

/** A process that runs code of clients, in an environment that the broker knows. */
export function sandboxKind(
  most: number,
  start: (engine: string, environment: string) => Deno.ChildProcess,
): Kind {
  return {
    plural: "sandbox processes",
    most,
    isHostile: true,
    longest: { line: FROM_SANDBOX_LINE, body: PIECE_BYTES },
    start(spec) {
      const { engine, environment } = fields(spec);
      return { process: start(String(engine), String(environment)) };
    },
  };
}

/** The MCP client of a downstream server, by the server's name and revision. */
export function bridgeKind({ start }: Pick<Downstream, "start">): Kind {
  return {
    plural: "bridges",
    most: 2 * MOST_BRIDGES,
    leaveMs: LEAVE_MS,
    longest: { line: FROM_BRIDGE_LINE, body: 0 },
    start: toStart(start),
  };
}

/** The process of a component, by the component's name and revision. */
export function componentKind({ start }: Pick<Downstream, "start">): Kind {
  return {
    plural: "processes of components",
    most: 2 * MOST_BRIDGES,
    isHostile: true,
    longest: { line: FROM_BRIDGE_LINE, body: 0 },
    start: toStart(start),
  };
}

function toStart(start: Downstream["start"]): Kind["start"] {
  return (spec) => {
    const { server, revision, isAgreed, granted } = fields(spec);
    return start(String(server), String(revision), {
      isAgreed: isAgreed === true,
      granted: parseDenied(granted),
    });
  };
}

/** A process that keeps values or sessions in a folder, which has a name. */
export function keeperKind(
  starts: Readonly<Partial<Record<string, () => Deno.ChildProcess>>>,
): Kind {
  return {
    // One of a folder may be about to end.
    plural: "keepers",
    most: 2 * Object.keys(starts).length,
    leaveMs: LEAVE_MS,
    longest: { line: KEEPER_LINE, body: KEEPER_BODY },
    start(spec) {
      const folder = String(fields(spec).folder);
      const start = Object.hasOwn(starts, folder) ? starts[folder] : undefined;
      if (!start) throw new RangeError(`there is no folder of ${folder}`);
      return { process: start() };
    },
  };
}
