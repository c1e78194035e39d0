import type { Mutation } from "./mutation.ts";

const LOOK = "src/engines/pyodide/runner/look.py";
const LOOKS = "src/server/sessions/looks.ts";
const HOSTILE = "test/escape_looks_test.ts";
const LYING = "src/server/sessions/looks_test.ts";

/** Looks into sessions that may be hostile. */
export const LOOKS_INTO_SESSIONS: readonly Mutation[] = [
  {
    name: "code that a look calls has all the time of the look",
    file: LOOK,
    text: "if perf_counter() > deadline:",
    replacement: "if False:",
    tests: [HOSTILE],
  },
  {
    name: "a session's names are asked of its own class",
    file: LOOK,
    text: "in dict.items(_namespace()):",
    replacement: "in _namespace().items():",
    tests: [HOSTILE],
  },
  {
    name: "any number of variables is shown",
    file: LOOK,
    text: "if count <= MOST_VARIABLES:",
    replacement: "if count:",
    tests: [HOSTILE],
  },
  {
    name: "the name of a class is asked of its own class",
    file: LOOK,
    text: "return str.__str__(_name_of(type(value)))",
    replacement: "return str.__str__(type(value).__name__)",
    tests: [HOSTILE],
  },
  {
    name: "a look that is stopped is a timeout",
    file: "src/sandbox/run_within_limits.ts",
    text: '|| request.look && ending.status === "success"',
    replacement: "",
    tests: ["test/looks_test.ts"],
    filter: "stopped",
  },
  {
    name: "the next run says what a look said",
    file: "src/engines/pyodide/worker/worker.ts",
    text: "if (!isLooking) ",
    replacement: "",
    tests: [HOSTILE],
  },
  {
    name: "a look follows links out of the folder",
    file: "src/engines/pyodide/worker/workspace.ts",
    text: " || !isBelow(node, rootOf(fs))",
    replacement: " || !isBelow(node, rootOf(fs)) && !node",
    tests: ["test/looks_test.ts"],
    filter: "shows",
  },
  {
    name: "a look may have any number of entries",
    file: LOOKS,
    text: " || data.length > most",
    replacement: "",
    tests: [LYING],
  },
  {
    name: "a look may leave out entries",
    file: LOOKS,
    text: "parsed.length === data.length",
    replacement: "parsed",
    tests: [LYING],
  },
  {
    name: "a look may show any path",
    file: LOOKS,
    text: " || !isWorkspacePath(path)",
    replacement: "",
    tests: [LYING],
  },
  {
    name: "a look may read more than was asked for",
    file: LOOKS,
    text: " && bytes.length <= limit",
    replacement: "",
    tests: [LYING],
  },
  {
    name: "texts of a look may have any length",
    file: LOOKS,
    text: "head(data, most).toWellFormed()",
    replacement: "data.toWellFormed()",
    tests: [LYING],
  },
];
