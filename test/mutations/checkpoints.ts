import type { Mutation } from "./mutation.ts";

const FORMAT = {
  file: "src/engines/pyodide/checkpoint_format.ts",
  tests: ["test/escape_checkpoint_test.ts"],
  filter: "crafted checkpoint",
};

/** Saved sessions, which a hostile guest may have made. */
export const CHECKPOINTS: readonly Mutation[] = [
  {
    ...FORMAT,
    name: "a saved session's pages may overlap",
    text: 'if (offset < end) refuse("has ranges that overlap");',
    replacement: "",
  },
  {
    ...FORMAT,
    name: "a saved session may have the standard streams",
    text: "if (fd < FIRST_FD || before.has(fd)",
    replacement: "if (before.has(fd)",
  },
  {
    ...FORMAT,
    name: "a saved session may have parts of bytes",
    text: "if (!Number.isInteger(data)) refuse(",
    replacement: "if (!data && data !== 0) refuse(",
  },
  {
    ...FORMAT,
    name: "a saved session may have variables at any number of places",
    text: ".length)) > MOST_PLACES) {",
    replacement: ".length)) > Infinity) {",
  },
  {
    file: "src/engines/pyodide/worker/worker.ts",
    name: "Node's functions are there when a saved session's code runs first",
    text: "  closeNode(python);\n  mountPackages(python, start.packages);",
    replacement: "  mountPackages(python, start.packages);",
    tests: ["test/escape_restored_test.ts"],
    filter: "reaches no more than later",
  },
];
