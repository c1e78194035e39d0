import {
  type Resource,
  ResourceNotFoundError,
} from "../../../deps/mcp_server.ts";
import { isOverWithin } from "../../deadline.ts";
import { head } from "../../results/cut.ts";
import { refusal } from "../pool/pool.ts";
import {
  type Looked,
  Looks,
  type SessionFiles,
  type Variables,
} from "./looks.ts";
import type { Owner } from "./kept_session.ts";
import type { Sessions } from "./sessions.ts";

/** Time that a reader waits for the run that is under way, and for the looks. */
const PATIENCE_MS = 5000;
const START = "run-python://sessions/";
const TYPE = { mimeType: "application/json" };

export const SESSION_TEMPLATE = {
  uriTemplate: `${START}{session}`,
  name: "A session",
  description: "Its variables, modules, files, memory and runs.",
  ...TYPE,
};

/** The sessions that a client may read. */
export interface ReadableSessions {
  sessions: Pick<Sessions, "list" | "info" | "maybeLook">;
  owner: Owner;
}

export function isSessionUri(uri: string): boolean {
  return uri.startsWith(START);
}

/** Sessions with their places in a list: the one that was opened last comes first. */
export function listSessionResources(
  { sessions, owner }: ReadableSessions,
): { order: string; resource: Resource }[] {
  return sessions.list(owner).map(({ session, state, created }) => ({
    order: `${8.64e15 - Date.parse(created)}.${session}`,
    resource: { uri: `${START}${session}`, name: `Session, ${state}`, ...TYPE },
  }));
}

/**
 * Reads a session: its variables and files, too, if it is in memory and the runs
 * under way end soon.
 */
export async function readSession(
  uri: string,
  { sessions, owner }: ReadableSessions,
) {
  const handle = uri.slice(START.length);
  const before = await sessions.info(handle, owner);
  if (!before) {
    throw new ResourceNotFoundError(
      uri,
      `There is no session "${
        head(handle, 100)
      }": it may have ended, or be of another client. resources/list has those that there are.`,
    );
  }
  const looks = new Looks(async (request, options) =>
    await sessions.maybeLook(handle, owner, request, options) ?? NOT_IN_MEMORY
  );
  const waiting = new AbortController();
  const { signal } = waiting;
  const looking = Promise.all([
    looks.variables(signal),
    looks.files("", signal),
  ]);
  const looked = await isOverWithin(looking, PATIENCE_MS)
    ? await looking
    : undefined;
  // A look that has not begun is not wanted any more.
  waiting.abort();
  const shown = {
    ...(await sessions.info(handle, owner) ?? before),
    ...describe(looked),
  };
  return { uri, ...TYPE, text: JSON.stringify(shown, null, 1) };
}

/** The findings of the looks, or a note with the reason why they are missing. */
function describe(looked?: [Looked<Variables>, Looked<SessionFiles>]) {
  if (!looked) {
    return {
      note: "Code is running: read again later for variables and files.",
    };
  }
  const [{ found: inMain, failed }, { found: below, failed: alsoFailed }] =
    looked;
  if (!inMain || !below) return { note: (failed ?? alsoFailed)?.error };
  const { variables, modules, count } = inMain;
  const { files, hasMore } = below;
  const truncated = {
    ...(count > variables.length ? { variables: count } : {}),
    ...(hasMore ? { files: below.count } : {}),
  };
  return {
    variables,
    modules,
    files,
    ...(Object.keys(truncated).length > 0 ? { truncated } : {}),
  };
}

const NOT_IN_MEMORY = refusal(
  "session-lost",
  "The session is not in memory, so its variables and files are not shown. A call that uses it brings a saved session back.",
);
