import type { Mutation } from "./mutation.ts";

const LINES = {
  file: "src/protocol/log_lines.ts",
  tests: ["src/protocol/log_lines_test.ts"],
};
const SINK = { file: "src/launcher/log_sink.ts", tests: ["test/logs_test.ts"] };

export const LOGS: readonly Mutation[] = [
  {
    ...LINES,
    name: "a text ends a line of the logs, or speaks to a terminal",
    text: "encoder.encode(escapeControls(line))",
    replacement: "encoder.encode(line)",
  },
  {
    ...LINES,
    name: "a text passes for facts of a line of the logs",
    text: "? text : JSON.stringify(text);",
    replacement: "? text : text;",
  },
  {
    ...SINK,
    name: "Python sees, or writes, the file of the logs",
    text: "if (!mount) return file;",
    replacement: "if (mount || !mount) return file;",
    filter: "cannot be opened",
  },
  {
    ...SINK,
    name: "other users of the machine read the file of the logs",
    text: "create: true, mode: 0o600 }",
    replacement: "create: true }",
    filter: "a run's line",
  },
  {
    ...SINK,
    name: "a full disk ends the server",
    text: "isBroken = true;",
    replacement: "throw error;",
    filter: "full disk",
  },
  {
    name: "a sandbox names any number of hosts in the logs",
    file: "src/protocol/sandbox_messages.ts",
    text: "hosts.slice(0, MOST_HOSTS)",
    replacement: "hosts",
    tests: ["src/protocol/sandbox_messages_test.ts"],
  },
];
