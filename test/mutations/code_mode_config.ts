import type { Mutation } from "./mutation.ts";

const CONFIGURATIONS = {
  file: "src/launcher/downstream/configurations.ts",
  tests: ["src/launcher/downstream/configurations_test.ts"],
};
const COMMAND = { tests: ["src/cli/commands/servers_test.ts"] };

/** The servers that code may call, and their secrets. */
export const CODE_MODE_CONFIG: readonly Mutation[] = [
  {
    ...CONFIGURATIONS,
    name: "a configured server may be this very program",
    text: "!settings.allowSelfServer && isOwnServer(entry, program, system)",
    replacement: "false",
  },
  {
    file: "src/launcher/downstream/self_reference.ts",
    name: "a configured server may be this program's own address",
    text: "return isSameHost && Number(port || usual) === listens.port;",
    replacement: "return false;",
    tests: ["src/launcher/downstream/self_reference_test.ts"],
  },
  {
    file: "src/launcher/downstream/sources.ts",
    name: "files of other programs count without --discover",
    text: "...discover ? known : []",
    replacement: "...known",
    tests: [
      "src/launcher/downstream/sources_test.ts",
      "src/launcher/downstream/configurations_test.ts",
    ],
  },
  {
    ...CONFIGURATIONS,
    name: "the server process is told entries with their secrets",
    text: "    ...{ name, transport, source },\n    ...(description",
    replacement: "    ...entry,\n    ...(description",
  },
  {
    file: "src/launcher/downstream/fingerprint.ts",
    name: "values of variables are in the hashes on disk",
    text: "Object.keys(entry.env).sort()",
    replacement: "Object.entries(entry.env).sort()",
    tests: ["src/launcher/downstream/fingerprint_test.ts"],
  },
  {
    ...COMMAND,
    file: "src/launcher/downstream/shown.ts",
    name: "servers list prints whole URLs",
    text: "  const { origin, pathname } = new URL(entry.url);",
    replacement:
      "  if (entry.url) return entry.url;\n  const { origin, pathname } = new URL(entry.url);",
    tests: ["src/launcher/downstream/shown_test.ts"],
  },
  {
    ...COMMAND,
    file: "src/cli/servers/each_server.ts",
    name: "an error of a server may hold its secrets",
    text: "masksOf(entry)(messageOf(error))",
    replacement: "messageOf(error)",
  },
  {
    ...COMMAND,
    file: "src/cli/servers/each_server.ts",
    name: "servers test starts all servers at a time",
    text: "const MOST_STARTS = 4;",
    replacement: "const MOST_STARTS = 100;",
  },
  {
    file: "src/launcher/downstream/formats/judge.ts",
    name: "an entry that its file disables is used",
    text: "if (disabled !== true && enabled !== false) return;",
    replacement: "return;",
    tests: [
      "src/launcher/downstream/formats/windsurf_test.ts",
      "src/launcher/downstream/formats/codex_test.ts",
    ],
  },
  {
    file: "src/cli/bridge_variables.ts",
    name: "variables of the predecessor change a plain run",
    text: "  if (!isCodeMode) {",
    replacement: "  if (!isCodeMode && entries.length < 0) {",
    tests: ["src/cli/arguments_test.ts"],
  },
  {
    file: "src/launcher/downstream/written_by_code.ts",
    tests: ["src/launcher/downstream/configurations_test.ts"],
    name: "code names servers by a file that it writes into a mount",
    text: "if (reason !== undefined) throw new TypeError(reason);",
    replacement: "if (reason === '') throw new TypeError(reason);",
  },
  {
    file: "src/launcher/downstream/written_by_code.ts",
    tests: ["src/launcher/downstream/configurations_test.ts"],
    name: "code writes the program of a server into a mount",
    text: "if (reason !== undefined) return { path, reason };",
    replacement: "if (reason === '') return { path, reason };",
  },
];
