import type { Mutation } from "./mutation.ts";

const UNPACKING = {
  file: "src/library/unpack.ts",
  tests: ["src/library/unpack_test.ts"],
};
const SHARING = {
  file: "src/library/launcher.ts",
  tests: ["test/create_sandbox_test.ts"],
  filter: "equal sandboxes share",
};

/** Walls of the libraries, and of the pipe that they share. */
export const LIBRARIES: readonly Mutation[] = [
  {
    name: "a file in a folder above the program says what its modules are",
    file: "src/launcher/bundling/write_program.ts",
    tests: ["src/launcher/bundling/write_program_test.ts"],
    text: "    workspace: [],\n",
    replacement: "",
  },
  {
    name: "variables of the code are the launcher's, too",
    file: "src/library/options.ts",
    tests: ["src/library/options_test.ts"],
    text: "{ [ENV]: JSON.stringify(given.env) }",
    replacement: "{ [ENV]: JSON.stringify(given.env), ...given.env }",
  },
  {
    name: "a program in the current folder is believed",
    ...UNPACKING,
    text: "if (folder !== undefined && isAbsolute(folder)) {",
    replacement: "if (folder !== undefined) {",
  },
  {
    name: "a run without code ends the launcher of all",
    file: "src/protocol/pipe_messages.ts",
    tests: ["test/pipe_test.ts"],
    filter: "disturbs no other",
    text: "const message = maybeWrong(data);",
    replacement: "const message = maybeWrong(data) && JSON.parse(text + 1);",
  },
  {
    name: "runs of a closed sandbox go on",
    ...SHARING,
    text: "end.abort();",
    replacement: "",
  },
  {
    name: "a closed sandbox runs code in that of another",
    ...SHARING,
    text: "if (!closing) return;",
    replacement: "if (!launcher.hasEnded) return;",
  },
];
