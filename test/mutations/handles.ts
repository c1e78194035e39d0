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
    text: "return entry?.owner === owner.name ? entry : undefined;",
    replacement: "return entry;",
    filter: "of its owner alone",
  },
  {
    ...SESSIONS,
    name: "a client sees the sessions of others",
    text: ".filter((entry) => entry.owner === owner.name).map(toInfo)",
    replacement: ".map(toInfo)",
    filter: "of its owner alone",
  },
  {
    ...SESSIONS,
    name: "connections of an owner share a default session",
    text: "defaultOf !== undefined && defaultOf === owner.connection",
    replacement: "defaultOf !== undefined",
    filter: "for each connection",
  },
  {
    ...LIVES,
    name: "an owner can drive out the sessions of all others",
    text: "idle.find(({ owner }) => countOf(owner) === most)",
    replacement: "idle[0]",
    filter: "of the owner that has most",
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
    text: "const key = toKey(handle);",
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
    text: "awake.filter(({ calls }) => calls === 0)",
    replacement: "awake",
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
  {
    ...SESSIONS,
    name: "a call gets the refusal of another call",
    text: "return isOpening ? result : await",
    replacement: "return true ? result : await",
    filter: "the refusal of another call",
  },
  {
    ...SESSIONS,
    name: "a call brings a session back that has ended",
    text: "await holdCalls(entry, this.#endNow(entry));",
    replacement: "this.#remove(entry); await this.#endNow(entry);",
    filter: "for good",
  },
  {
    ...SESSIONS,
    name: "a session is restored as the server ends, and is lost with it",
    text: "if (this.#isClosed)",
    replacement: "if (false)",
    filter: "as all end",
  },
  {
    ...LIVES,
    name: "a saved session's file is removed while it is copied",
    text: "await holdCalls(entry, this.#openSaved(entry, true))",
    replacement: "await this.#openSaved(entry, true)",
    filter: "before calls that come later",
  },
];
