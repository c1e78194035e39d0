import type { Mutation } from "./mutation.ts";

const MESSAGES = {
  file: "src/protocol/state_messages.ts",
  tests: ["src/protocol/state_messages_test.ts"],
};
const HEAD = {
  file: "src/state/value_file.ts",
  tests: ["src/state/value_file_test.ts"],
};
const OPEN = {
  file: "src/state/open_value.ts",
  tests: ["test/state_test.ts"],
};
const FOLDER = {
  file: "src/state/state_folder.ts",
  tests: ["test/state_test.ts"],
};
const ROOM = { file: "src/state/room.ts", tests: ["src/state/room_test.ts"] };
const CALLS = ["src/server/host_calls/kept_calls_test.ts"];
const PROCESS = ["test/state_process_test.ts"];
const SAVED = {
  file: "src/engines/pyodide/runner/mcp_saved.py",
  tests: ["test/kept_names_test.ts"],
  filter: "bind_saved",
};

/** What outlives sessions: its files, its process, its host calls. */
export const CODE_MODE_STATE: readonly Mutation[] = [
  {
    ...MESSAGES,
    name: "a key of what is kept may be of any length",
    text: "if (length <= LONGEST_KEY) return undefined;",
    replacement: "if (length > 0) return undefined;",
    filter: "no request of another form",
  },
  {
    ...MESSAGES,
    name: "a piece of what is kept may be of any length",
    text: "if (isCount(draft) && parsed && parsed.length <= PIECE_BYTES) {",
    replacement: "if (isCount(draft) && parsed) {",
    filter: "no request of another form",
  },
  {
    ...HEAD,
    name: "the head of a kept value is believed without its hash",
    text: "hash(json) === sum",
    replacement: 'sum !== ""',
    filter: "each byte that has changed",
  },
  {
    ...HEAD,
    name: "clients have the same names of files",
    text: "hash(JSON.stringify([space, owner, key]))",
    replacement: "hash(JSON.stringify([space, key]))",
    tests: [...HEAD.tests, "test/state_test.ts"],
    survives: "the start of a name is the owner's hash, too",
  },
  {
    ...HEAD,
    name: "the start of a file's name is the same for all clients",
    text: 'hash(JSON.stringify(["owner", owner]))',
    replacement: 'hash(JSON.stringify(["owner"]))',
    tests: ["test/state_test.ts"],
    filter: "for its owner alone",
  },
  {
    ...OPEN,
    name: "a link in the place of a kept value is followed",
    text: 'if (!found.isFile) throw new Damage("it is not a file");',
    replacement: "",
    filter: "a link or a pipe",
  },
  {
    ...OPEN,
    name: "a kept value may be longer or shorter than it says",
    text: "if (size !== begin + head.bytes) {",
    replacement: "if (size < begin) {",
    filter: "damaged",
  },
  {
    ...OPEN,
    name: "a kept value may stand in the file of another",
    text: "if (head.name !== basename(path)) {",
    replacement: 'if (head.name === "") {',
    filter: "damaged",
  },
  {
    ...OPEN,
    name: "a kept value is believed without its hash",
    text: 'if (sum.digest("hex") !== head.sha256) {',
    replacement: 'if (sum.digest("hex") === "") {',
    filter: "damaged",
  },
  {
    name: "servers write what is kept at the same time",
    file: "src/state/folder_lock.ts",
    text: "file.lock(true)",
    replacement: "file.lock(false)",
    tests: ["src/state/folder_lock_test.ts"],
  },
  {
    ...FOLDER,
    name: "a value that another session has written is replaced",
    text:
      'if ((facts?.revision ?? "") !== ifRevision) return { type: "conflict" };',
    replacement: "",
    filter: "lose no update",
  },
  {
    ...FOLDER,
    name: "a kept value may be of any size",
    text: "if (bytes <= most) return;",
    replacement: "if (bytes >= 0) return;",
    filter: "a full folder",
  },
  {
    name: "a kept value is open to other users",
    file: "src/state/draft.ts",
    text: "createNew: true, mode: 0o600 }",
    replacement: "createNew: true, mode: 0o644 }",
    tests: ["test/state_test.ts"],
    filter: "for their user alone",
  },
  {
    name: "an artifact may have fewer bytes than it says",
    file: "src/state/draft.ts",
    text: "if (this.left > 0) {",
    replacement: "if (this.left < 0) {",
    tests: ["test/state_test.ts"],
    filter: "whole or not at all",
  },
  {
    name: "an artifact may have more bytes than it says",
    file: "src/state/draft.ts",
    text: "if (bytes.length > this.left) {",
    replacement: "if (bytes.length < 0) {",
    tests: ["test/state_test.ts"],
    filter: "whole or not at all",
  },
  {
    ...ROOM,
    name: "a client may keep any number of values",
    text: "() => count(alike) <= values,",
    replacement: "() => values > 0,",
  },
  {
    ...ROOM,
    name: "a client may fill the folder of all",
    text: "() => sum(own) <= bounds.ownerBytes,",
    replacement: "() => bounds.ownerBytes > 0,",
  },
  {
    ...ROOM,
    name: "the folder of what is kept may take any room",
    text: "sum(others) <= bounds.totalBytes && count",
    replacement: "count",
  },
  {
    ...ROOM,
    name: "memory is dropped to make room",
    text: 'others.filter((file) => file.space === "catalog")',
    replacement: 'others.filter((file) => file.space !== "")',
  },
  {
    name: "a mount may show what is kept",
    file: "src/launcher/state_process.ts",
    text: "refuseToShow(mounts, folder, Deno.build, STATE);",
    replacement: "",
    tests: PROCESS,
    filter: "Python could see",
  },
  {
    name: "the state process may read and write any folder",
    file: "src/grants/permissions.ts",
    text: 'state: { read: ["state"], write: ["state"] },',
    replacement: 'state: { read: ["any"], write: ["any"] },',
    tests: PROCESS,
    filter: "its folder, and no more",
  },
  {
    name: "a run that is not of code mode reaches what is kept",
    file: "src/server/host_calls/kept_calls.ts",
    text: "  if (!codeMode) {",
    replacement:
      '  if (!codeMode) return await work("", kept);\n  if (!codeMode) {',
    tests: CALLS,
    filter: "runs of code mode",
  },
  {
    name: "a client may write the draft of another",
    file: "src/server/host_calls/artifact.ts",
    text: "if (draft?.owner === owner) return draft;",
    replacement: "if (draft) return draft;",
    tests: CALLS,
    filter: "its owner",
  },
  {
    name: "drafts of artifacts that were left stay open",
    file: "src/server/host_calls/artifact.ts",
    text: "now() - used > IDLE_MS",
    replacement: "now() < 0 && used > IDLE_MS",
    tests: CALLS,
    filter: "its owner",
  },
  {
    name: "an artifact may be a path",
    file: "src/server/host_calls/artifact.ts",
    text: 'name !== "." && name !== ".."',
    replacement: 'name !== "."',
    tests: CALLS,
    filter: "no path",
  },
  {
    name: "a saved tool may have a name of code mode",
    file: "src/server/host_calls/save_function.ts",
    text:
      'if (OWN_NAMES.has(name) || name.startsWith("mcp_") || name === "mcp") {',
    replacement: 'if (name === "mcp") {',
    tests: CALLS,
    filter: "later session",
  },
  {
    name: "memory keeps text that is not JSON",
    file: "src/server/host_calls/kept_calls.ts",
    text: "JSON.parse(data);",
    replacement: "",
    tests: CALLS,
    filter: "the text of JSON",
  },
  {
    ...SAVED,
    name: "a saved tool may execute its decorators",
    text: "    if function.decorator_list:",
    replacement: "    if False:",
  },
  {
    ...SAVED,
    name: "a saved tool may compute its default values",
    text: "        if not _is_literal(default):",
    replacement: "        if False:",
  },
  {
    ...SAVED,
    name: "a saved tool may begin with any statement",
    text: "        if not is_import or any(",
    replacement: "        if False and any(",
  },
  {
    ...SAVED,
    name: "a saved tool takes the place of a session's own function",
    text: "            continue  # the session's own",
    replacement: "            pass",
  },
  {
    name: "saved tools of any size go with each run",
    file: "src/server/code_mode/saved_functions.ts",
    text: "(room -= bytes + key.length) >= 0",
    replacement: "bytes + key.length + room >= 0",
    tests: ["src/server/code_mode/saved_functions_test.ts"],
  },
];
