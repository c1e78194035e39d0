// The messages between the process of a component and its worker, in which all is the
// component's: the process reads them as from a stranger.
import type { Mount } from "../grants/mounts.ts";
import { type Denied, parseDenied } from "../grants/guest_grants.ts";
import { fields, is, readForm } from "../protocol/fields.ts";
import type { WitFunction } from "../wit/types.ts";

/** The first message to a worker. */
export interface WorkerStart {
  /** JavaScript of the component, and the modules that it asks for by their names. */
  glue: string;
  modules: Record<string, WebAssembly.Module>;
  mounts: readonly (Mount & { isFile?: true })[];
  /** Paths to give up before the component's code runs. */
  ownReads: readonly string[];
  ownWrites: readonly string[];
  /** Hosts that it may reach. */
  hosts: readonly string[];
  variables: Readonly<Record<string, string>>;
  name: string;
  mostPages: number;
  /** Characters of JSON that a value may have. */
  maxResult: number;
}

/** A function, with its arguments as JSON text. */
export interface Invocation {
  fn: WitFunction;
  args: string;
}

export type ToWorker = {
  type: "call";
  id: number;
  call: Invocation;
  /** The instance that answers, and lives on; undefined for a fresh one. */
  instance?: string;
  /** Calls of an instance that is new. */
  first: Invocation[];
};

export type FromWorker =
  | { type: "ready" }
  | { type: "broken"; reason: string }
  | {
    type: "done";
    id: number;
    outcome: Outcome;
    denied: Denied[];
    /** The last lines that it printed. */
    printed: string;
  };

/** How a call ended. */
export type Outcome =
  /** A value, as JSON text; empty if there is none. */
  | { kind: "value"; text: string }
  /** The error of a function whose result has one, as JSON text. */
  | { kind: "error"; text: string }
  /** Wrong arguments, in words. */
  | { kind: "arguments"; text: string }
  /** The instance has failed, in words. */
  | { kind: "trap"; text: string }
  /** The value is larger than it may be, in words. */
  | { kind: "size"; text: string };

/** Characters of what a component has printed. */
export const MOST_PRINTED = 2000;

const OUTCOME = {
  kind: is.oneOf<Outcome["kind"]>(
    ...["value", "error", "arguments", "trap", "size"] as const,
  ),
  text: is.text,
};

/** Reads a message of a worker; undefined if it is outside this protocol. */
export function parseFromWorker(data: unknown): FromWorker | undefined {
  const { type, id, reason, outcome, denied, printed } = fields(data);
  switch (type) {
    case "ready":
      return { type };
    case "broken":
      return is.text(reason) ? { type, reason } : undefined;
    case "done": {
      const read = readForm(outcome, OUTCOME);
      if (!read || !is.count(id)) return undefined;
      return {
        ...{ type, id, outcome: read, denied: parseDenied(denied) },
        printed: is.text(printed) ? printed.slice(-MOST_PRINTED) : "",
      };
    }
  }
}
