import type { Mutation } from "./mutation.ts";

const OPEN = {
  file: "src/store/stored_session.ts",
  tests: ["src/store/stored_session_test.ts"],
};
const FORMAT = {
  file: "src/store/session_file.ts",
  tests: ["src/store/stored_session_test.ts"],
};
const MESSAGES = {
  file: "src/protocol/store_messages.ts",
  tests: ["src/protocol/store_messages_test.ts"],
};
const FOLDER = {
  file: "src/store/session_folder.ts",
  tests: ["src/store/session_folder_test.ts"],
};
const PLACE = {
  file: "src/launcher/store_folder.ts",
  tests: ["src/launcher/store_folder_test.ts"],
};
const ENDS = ["test/session_store_test.ts"];

/** Sessions on disk: their files, their folder, and their process. */
export const STORE: readonly Mutation[] = [
  {
    ...MESSAGES,
    name: "a key may name another file",
    text: '"string" && /^[0-9a-f]{32}$/.test(data)',
    replacement: '"string"',
    filter: "could name another file",
  },
  {
    ...MESSAGES,
    name: "a key may end with a line break",
    text: "/^[0-9a-f]{32}$/.test(data)",
    replacement: "/^[0-9a-f]{32}/.test(data)",
    filter: "could name another file",
  },
  {
    ...MESSAGES,
    name: "a piece of a session may be of any length",
    text: "if (isDraft && parsed && parsed.length <= PIECE_BYTES) {",
    replacement: "if (isDraft && parsed) {",
    filter: "no request of another form",
  },
  {
    ...OPEN,
    name: "a link in the place of a session is followed",
    text: 'if (!found.isFile) throw new Damage("it is not a file");',
    replacement: "",
    filter: "opens no link",
  },
  {
    ...OPEN,
    name: "a stored session may be of any size",
    text: "if (size > HEADER_BYTES + mostBytes) {",
    replacement: "if (size > Infinity) {",
    filter: "looks at the size",
  },
  {
    ...OPEN,
    name: "a stored session may be longer or shorter than it says",
    text: "if (size !== HEADER_BYTES + header.size) {",
    replacement: "if (size < 0) {",
    filter: "another length",
  },
  {
    ...OPEN,
    name: "a stored session is believed without its hash",
    text: 'if (hash.digest("hex") !== session.sha256) {',
    replacement: 'if (hash.digest("hex") === "") {',
    filter: "each byte that has changed",
  },
  {
    ...FORMAT,
    name: "the hash of a stored session leaves out its facts",
    text: ".update(JSON.stringify(meta))",
    replacement: "",
    filter: "facts of another session",
  },
  {
    ...FORMAT,
    name: "a header may hold more than its facts",
    text: "if (header && isEqual(encodeHeader(header), block)) return header;",
    replacement: "if (header) return header;",
    filter: "reads headers",
  },
  {
    ...FORMAT,
    name: "a session of another version is read",
    text: "&& version !== String(VERSION)",
    replacement: '&& version === "1"',
    filter: "another version",
  },
  {
    ...FOLDER,
    name: "a session may go on in another environment",
    text: "if (meta.environment !== environment) {",
    replacement: "if (environment === undefined) {",
    tests: ENDS,
    filter: "of another environment",
  },
  {
    ...FOLDER,
    name: "a session that another server has replaced is read on",
    text: "if (session?.sha256 === sha256) return",
    replacement: "if (session) return",
    filter: "from no other",
  },
  {
    ...FOLDER,
    name: "a session may be larger than what it is made of",
    text: "if (draft.size > this.#mostBytes) {",
    replacement: "if (draft.size > Infinity) {",
    filter: "too large",
  },
  {
    ...FOLDER,
    name: "sessions that are never stored may fill the disk",
    text: "if (bytes <= this.bounds.totalBytes) return;",
    replacement: "return;",
    filter: "no more room",
  },
  {
    ...FOLDER,
    name: "a draft may take the place of another, which stays on disk",
    text:
      'if (this.#drafts.has(draft)) throw new TypeError("its draft is open");',
    replacement: "",
    filter: "no more room",
  },
  {
    ...FOLDER,
    name: "a session's file is open to other users",
    text: "mode: 0o600 };",
    replacement: "mode: 0o644 };",
    tests: ENDS,
    filter: "for its owner alone",
  },
  {
    ...FOLDER,
    name: "all sessions may take any room",
    text: "if (bytes <= this.bounds.totalBytes) break;",
    replacement: "break;",
    tests: ENDS,
    filter: "make room",
  },
  {
    ...FOLDER,
    name: "files of other names are removed to make room",
    text: "/^([0-9a-f]{32})\\.session$/",
    replacement: "/([0-9a-f]{32})\\.session/",
    filter: "neither counted nor removed",
  },
  {
    ...PLACE,
    name: "a mount may show stored sessions",
    text:
      "if (isWithin(host, folder, system) || isWithin(folder, host, system)) {",
    replacement: "if (isWithin(host, folder, system)) {",
    filter: "shows or changes",
  },
  {
    ...PLACE,
    name: "the folder of sessions is made for all users",
    text: "recursive: true, mode: 0o700",
    replacement: "recursive: true, mode: 0o755",
    filter: "private folder",
  },
  {
    ...PLACE,
    name: "other users may read stored sessions, and nothing says so",
    text: "(mode & 0o077) === 0",
    replacement: "(mode & 0o022) === 0",
    filter: "other users can read",
  },
  {
    name: "a request to a store that has ended is never answered",
    file: "src/launcher/store_process.ts",
    text: "for (const id of open) await toServer(refusal(words, id, reason));",
    replacement: "",
    tests: ["src/launcher/store_process_test.ts"],
    filter: "answers each request once",
  },
  {
    name: "a client that is gone ends the server before it has saved",
    file: "src/launcher/broker.ts",
    text: "if (!store && !options.onListening) return kill(server);",
    replacement: "if (server) return kill(server);",
    tests: ENDS,
    filter: "the client reads no more",
  },
  {
    name: "a signal to all processes ends those that save",
    file: "src/signals.ts",
    text: "Deno.addSignalListener(signal, () => {});",
    replacement: "signal;",
    tests: ENDS,
    filter: "SIGTERM of all processes",
  },
];
