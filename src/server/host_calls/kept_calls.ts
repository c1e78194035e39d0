import {
  type Facts,
  LONGEST_METADATA,
  refuseKey,
  type Space,
} from "../../protocol/keeper_messages.ts";
import type { Json } from "../../protocol/run_result.ts";
import { head } from "../../results/cut.ts";
import {
  type Caller,
  type HostCall,
  hostCall,
  HostCallError,
} from "./host_call.ts";
import { fields } from "../../protocol/fields.ts";
import { OneAtATime } from "../one_at_a_time.ts";
import { KeeperError, type Kept } from "../keeper.ts";
import type { CodeModeRun } from "../code_mode/code_mode_run.ts";

/** All clients have one keeper, and each run asks it as it begins. */
const turns = new OneAtATime();

/**
 * Does work on what is kept for the client of a run, whose values no other client
 * sees, once that client's earlier work is done; its failure is an exception for
 * Python.
 */
export async function withKept<T>(
  { run: { codeMode }, signal }: Caller,
  kept: Kept,
  work: (owner: string, kept: Kept) => Promise<T>,
): Promise<T> {
  if (!codeMode) {
    throw new HostCallError(
      "PermissionError",
      "Only a run of run_python keeps values: start the server with --code-mode.",
    );
  }
  using _turn = await turns.take(codeMode.owner, signal);
  try {
    return await work(codeMode.owner, auditKept(kept, codeMode));
  } catch (error) {
    if (error instanceof RangeError) {
      throw new HostCallError("ValueError", error.message);
    }
    if (error instanceof KeeperError) {
      throw new HostCallError("RuntimeError", error.message);
    }
    throw error;
  }
}

/** @throws {TypeError | RangeError} If it cannot be a key; `what` names it. */
export function parseKey(data: unknown, what: string): string {
  if (typeof data !== "string") {
    throw new TypeError(`${what} must be a string, not ${typeof data}`);
  }
  const reason = refuseKey(data);
  if (reason === undefined) return data;
  throw new RangeError(
    `Cannot use ${JSON.stringify(head(data, 100))} as ${what}: ${reason}.`,
  );
}

/** Reads JSON text, which is kept as it is: JavaScript would round large numbers. */
export function parseJsonText(
  data: unknown,
  what: string,
  most: number,
): string {
  if (typeof data !== "string") {
    throw new TypeError(`${what} must be JSON text, not ${typeof data}`);
  }
  if (data.length > most) {
    throw new RangeError(
      `${what} has ${data.length} characters of JSON, and may have ${most}: keep it with artifacts.save(name, data).`,
    );
  }
  try {
    JSON.parse(data);
    return data;
  } catch {
    throw new RangeError(`${what} is not JSON.`);
  }
}

export function parseMetadata(data: unknown): { metadata?: string } {
  return data === undefined || data === null
    ? {}
    : { metadata: parseJsonText(data, "metadata", LONGEST_METADATA) };
}

/** The work that an order asks for, on what is kept for an owner. */
type Work = (owner: string, kept: Kept) => Promise<Json>;

/** Orders by their `action`: each is read, as data of a hostile guest, and gives its work. */
export type Actions = Record<string, (order: Record<string, unknown>) => Work>;

/** Makes a host call of orders for what is kept for the client of a run. */
export function keptCall(name: string, kept: Kept, actions: Actions): HostCall {
  return hostCall({
    name,
    parse(data) {
      const order = fields(data);
      const action = String(order.action);
      const read = Object.hasOwn(actions, action) ? actions[action] : undefined;
      if (read) return read(order);
      const names = Object.keys(actions).join(", ");
      throw new TypeError(`action must be one of ${names}`);
    },
    answer: (work, caller) => withKept(caller, kept, work),
  });
}

/** The actions that memory and artifacts have alike. */
export function looks(
  space: Space,
  readKey: (order: Record<string, unknown>) => string,
  maxCall: number,
): Actions {
  return {
    info(order) {
      const key = readKey(order);
      return async (owner, kept) => {
        const facts = await kept.info(space, owner, key);
        return facts ? { found: true, facts: toJson(facts) } : { found: false };
      };
    },
    delete(order) {
      const key = readKey(order);
      return async (owner, kept) => ({
        existed: await kept.delete(space, owner, key),
      });
    },
    list({ after }) {
      const last = after === undefined || after === null
        ? undefined
        : parseKey(after, "after");
      return async (owner, kept) =>
        toPage(await kept.list(space, owner), last, maxCall);
    },
  };
}

/** The facts after a key, as many as an answer of so many characters can hold. */
export function toPage(
  all: readonly Facts[],
  after: string | undefined,
  most: number,
): { facts: Json[]; more: boolean } {
  const rest = all.filter(({ key }) => after === undefined || key > after);
  const facts: Json[] = [];
  let room = most / 2;
  for (const one of rest) {
    const json = toJson(one);
    room -= JSON.stringify(json).length;
    if (room < 0 && facts.length > 0) break;
    facts.push(json);
  }
  return { facts, more: facts.length < rest.length };
}

export function toJson(facts: Facts): Json {
  return { ...facts } as Record<string, Json>;
}

/** The kept values, for a run: the audit has a line for each change. */
export function auditKept(
  kept: Kept,
  { audit }: Pick<CodeModeRun, "audit">,
): Kept {
  const noteSaved = (space: Space, { key, bytes }: Facts) =>
    audit("kept", { space, action: "save", key, bytes });
  return {
    list: (...place) => kept.list(...place),
    get: (...place) => kept.get(...place),
    info: (...place) => kept.info(...place),
    read: (...piece) => kept.read(...piece),
    async put(space, ...value) {
      const facts = await kept.put(space, ...value);
      if (facts) noteSaved(space, facts);
      return facts;
    },
    async delete(space, owner, key) {
      const existed = await kept.delete(space, owner, key);
      if (existed) audit("kept", { space, action: "delete", key });
      return existed;
    },
    async begin(space, ...value) {
      const draft = await kept.begin(space, ...value);
      return {
        append: (bytes) => draft.append(bytes),
        abort: () => draft.abort(),
        async commit() {
          const done = await draft.commit();
          noteSaved(space, done.facts);
          return done;
        },
      };
    },
  };
}
