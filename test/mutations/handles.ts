import type { Mutation } from "./mutation.ts";

const tests = ["src/server/sessions/sessions_test.ts"];
const SESSIONS = { file: "src/server/sessions/sessions.ts", tests };
const LIVES = { file: "src/server/sessions/session_lives.ts", tests };
const SAVED = { file: "src/server/sessions/saved_sessions.ts", tests };

/** Sessions by their handles: owners, bounds, and what is told. */
export const HANDLES: readonly Mutation[] = [
  {
    ...SESSIONS,
    name: "each client can use the sessions of others",
    text: "return entry?.owner === owner ? entry : undefined;",
    replacement: "return entry;",
    filter: "of its owner alone",
  },
  {
    ...SESSIONS,
    name: "a client sees the sessions of others",
    text: ".filter((entry) => entry.owner === owner).map(toInfo)",
    replacement: ".map(toInfo)",
    filter: "of its owner alone",
  },
  {
    ...SAVED,
    name: "each client can use the saved sessions of others",
    text: "return saved?.meta.owner === owner ? saved : undefined;",
    replacement: "return saved;",
    filter: "of the owner",
  },
  {
    ...SAVED,
    name: "the store's names are handles",
    text: "const key = await toKey(handle);",
    replacement: "const key = handle;",
    filter: "of the owner",
  },
  {
    ...LIVES,
    name: "a later server can go on with an older state",
    text: "    await this.saved?.remove(entry.handle);\n",
    replacement: "",
    filter: "of the owner",
  },
  {
    ...LIVES,
    name: "there may be any number of sessions",
    text: "while (this.#lives.size >= maxSessions)",
    replacement: "while (false)",
    filter: "at most so many",
  },
  {
    ...LIVES,
    name: "a session that runs makes room for others",
    text: ".find((entry) => entry.calls === 0 && isAwake(entry))",
    replacement: ".find((entry) => isAwake(entry))",
    filter: "at most so many",
  },
  {
    ...LIVES,
    name: "sessions may take any memory",
    text: "while (takenMiB() > maxSessionsMiB",
    replacement: "while (takenMiB() < 0",
    filter: "too much memory",
  },
  {
    ...SESSIONS,
    name: "the end of an idle interpreter is not told",
    text: 'if (!result || result.status === "session-lost") {',
    replacement: "if (!result) {",
    filter: "ended while it was idle",
  },
];
