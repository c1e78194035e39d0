import type { Mutation } from "./mutation.ts";

const SAVING = {
  file: "src/cli/shell/save_files.ts",
  tests: ["src/cli/shell/save_files_test.ts"],
};
const CALLS = {
  file: "src/cli/shell/shell_calls.ts",
  tests: ["src/cli/shell/shell_calls_test.ts"],
};

/** The shell of `run`: the files that it saves, the modules that code sees. */
export const SHELL: readonly Mutation[] = [
  {
    name: "a saved file may be hidden behind a character that is not seen",
    ...SAVING,
    text: "/^\\p{Cf}*\\./u",
    replacement: "/^\\./u",
  },
  {
    name: "a saved file may have the short form of another name",
    ...SAVING,
    text: "|~\\d|",
    replacement: "|",
  },
  {
    name: "an error may speak to a terminal",
    file: "src/log.ts",
    text: "+ printable(text)",
    replacement: "+ text",
    tests: ["test/escape_shell_test.ts"],
    filter: "quotes a script",
  },
  {
    name: "a picture of a prompt is written over a file",
    file: "src/cli/shell/save_pictures.ts",
    text: "bytes, { createNew: true });",
    replacement: "bytes);",
    tests: ["src/cli/shell/save_pictures_test.ts"],
  },
  {
    name: "other users read the lines that were typed",
    file: "src/cli/shell/history.ts",
    text: "Deno.chmodSync(path, 0o600)",
    replacement: "Deno.chmodSync(path, 0o644)",
    tests: ["src/cli/shell/history_test.ts"],
  },
  {
    name: "a name that completes a line may speak to the terminal",
    file: "src/cli/shell/line_editor.ts",
    text: "matches.filter((match) => !/\\p{C}/u.test(match))",
    replacement: "matches",
    tests: ["test/repl_test.ts"],
    filter: "terminal",
  },
  {
    name: "code may speak to a terminal",
    file: "src/cli/shell/output.ts",
    text: "toShown: isTerminal ? forTerminal() : (text: string) => text",
    replacement: "toShown: (text: string) => text",
    tests: ["test/escape_shell_test.ts"],
    filter: "terminal",
  },
  {
    name: "a terminal obeys other sequences than those of style",
    file: "src/cli/shell/terminal_text.ts",
    text: "[A-HJKSTdfm]",
    replacement: "[A-Za-z]",
    tests: ["src/cli/shell/terminal_text_test.ts"],
  },
  {
    name: "a terminal sees some controls as they are",
    file: "src/cli/shell/terminal_text.ts",
    text: "[\\\\0-\\\\x06\\\\x0e-\\\\x1f\\\\x7f-\\\\x9f]",
    replacement: "[\\\\0-\\\\x06\\\\x0e-\\\\x1a\\\\x1c-\\\\x1f\\\\x7f]",
    tests: ["src/cli/shell/terminal_text_test.ts"],
  },
  {
    name: "an error of the shell names its folders",
    file: "src/launcher/library_line.ts",
    text: '"RuntimeError", reasonOf(error)',
    replacement: '"RuntimeError", String(error)',
    tests: ["test/escape_shell_test.ts"],
    filter: "do not name its folders",
  },
  {
    name: "a saved file may leave its folder",
    ...SAVING,
    text: "!isWorkspacePath(path) || isHidden(path)",
    replacement: "isHidden(path)",
  },
  {
    name: "a saved file may be hidden",
    ...SAVING,
    text: "!isWorkspacePath(path) || isHidden(path)",
    replacement: "!isWorkspacePath(path)",
  },
  {
    name: "a saved file may have control characters in its name",
    ...SAVING,
    text: "const NOT_IN_A_NAME = /\\p{Cc}/u;",
    replacement: "const NOT_IN_A_NAME = /\\0/u;",
  },
  {
    name: "Windows reads names of saved files in its own way",
    ...SAVING,
    text: 'os === "windows" ? NOT_ON_WINDOWS : NOT_IN_A_NAME',
    replacement: 'os === "none" ? NOT_ON_WINDOWS : NOT_IN_A_NAME',
  },
  {
    name: "a saved file may go through a link",
    ...SAVING,
    text: "if (!(await Deno.lstat(place)).isDirectory) {",
    replacement: "if (!(await Deno.stat(place)).isDirectory) {",
  },
  {
    name: "a saved file is written into the target of a link",
    ...SAVING,
    file: "src/write_whole.ts",
    text: "await Deno.rename(draft, path);",
    replacement: "await Deno.writeFile(path, bytes); await Deno.remove(draft);",
  },
  {
    name: "a module may have any path",
    ...CALLS,
    text: "every((name) => IDENTIFIER.test(name))",
    replacement: "every(() => true)",
  },
  {
    name: "a module may be any file",
    ...CALLS,
    text: '!isFile || !path.endsWith(".py")',
    replacement: "!isFile",
  },
  {
    name: "a module may be behind a link",
    ...CALLS,
    text: "if (Deno.realPathSync(full) === full) return full;",
    replacement: "return full;",
  },
  {
    name: "code may ask for any size of input at a time",
    ...CALLS,
    text: "Math.min(most, MOST_INPUT)",
    replacement: "most",
  },
  {
    name: "any number of calls may wait for the shell",
    file: "src/server/host_calls/shell_calls.ts",
    text: "!run.askShell || open >= MOST_OPEN",
    replacement: "!run.askShell",
    tests: ["src/server/host_calls/shell_calls_test.ts"],
  },
];
