import type { Mutation } from "./mutation.ts";

const FORMAT = "src/engines/pyodide/checkpoint_format.ts";
const FORMAT_TESTS = ["src/engines/pyodide/checkpoint_format_test.ts"];
const TESTS = ["test/session_checkpoint_test.ts"];

/** What is saved of a session, and read as hostile. */
export const SESSIONS: Mutation[] = [
  {
    name: "a saved session of another environment is restored",
    file: FORMAT,
    text: "if (given[name] !== value) refuse(",
    replacement: "if (given[name] === undefined) refuse(",
    tests: FORMAT_TESTS,
  },
  {
    name: "saved pages lie outside of the memory",
    file: FORMAT,
    text: "range[0] + range[1] > memory",
    replacement: "range[0] > memory",
    tests: FORMAT_TESTS,
  },
  {
    name: "a saved session holds objects by any name",
    file: FORMAT,
    text: 'if (typeof name === "string" && names.has(name)) return',
    replacement: 'if (typeof name === "string") return',
    tests: FORMAT_TESTS,
  },
  {
    name: "a saved session has files anywhere",
    file: FORMAT,
    text: "return isInRoots(path) ? path : refuse(",
    replacement: "return path ? path : refuse(",
    tests: FORMAT_TESTS,
  },
  {
    name: "a saved path goes up",
    file: FORMAT,
    text: "/\\/\\.{0,2}(\\/|$)/",
    replacement: "/\\/\\.?(\\/|$)/",
    tests: FORMAT_TESTS,
  },
  {
    name: "a saved file lies below a link",
    file: FORMAT,
    text: "if (!isFolder && next?.startsWith(path)) {",
    replacement: "if (!isFolder && !path) {",
    tests: FORMAT_TESTS,
  },
  {
    name: "a variable is written outside of the saved pages",
    file: "src/engines/pyodide/secrets.ts",
    text: "if (!part || place + length > part.end) {",
    replacement: "if (!part) {",
    tests: ["src/engines/pyodide/secrets_test.ts"],
  },
  {
    name: "a checkpoint has the values of the host's variables",
    file: "src/engines/pyodide/worker/checkpoint/save.ts",
    text: "hideSecrets(piece, address, secrets);",
    replacement: "",
    tests: TESTS,
    filter: "no value of a host's variable",
  },
  {
    name: "a restored session has no limit of files while it starts",
    file: "src/engines/pyodide/worker/worker.ts",
    text: "  limitFiles(python.FS, start.fileLimits);\n  restoreFiles(",
    replacement: "  restoreFiles(",
    tests: TESTS,
    filter: "all walls in their place",
  },
  {
    name: "a copy of a session draws the same random numbers",
    file: "src/engines/pyodide/worker/worker.ts",
    text: "runner.restored(start.isFork);",
    replacement: "runner.restored(false);",
    tests: TESTS,
    filter: "draws other random numbers",
  },
  {
    name: "a session is saved though Python holds objects of JavaScript's",
    file: "src/engines/pyodide/worker/checkpoint/hiwire.ts",
    text: "if (strange.length > 0) {",
    replacement: "if (strange.length > 1_000_000) {",
    tests: TESTS,
    filter: "cannot be saved",
  },
];
