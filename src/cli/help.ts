import {
  COMMAND_LINES,
  type CommandName,
  COMMANDS,
  type Option,
} from "../settings/option.ts";
import { OPTIONS } from "../settings.ts";

const ACTIONS: Partial<Record<CommandName, readonly [string, string][]>> = {
  cache: [
    ["dir", "print the cache's folder"],
    ["list", "list environments, the last used first, and wheels"],
    [
      "prune [age]",
      "remove what is damaged, or was not used for 30d or that age",
    ],
    [
      "remove id…",
      "remove environments by their ids, or by the first letters of these",
    ],
    ["clean", "remove all that is not in use"],
  ],
  policy: [["check file", "explain a policy in words, or say what is wrong"]],
  servers: [
    ["list", "show each server, its file, and why others are skipped"],
    ["test [name…]", "start the servers, all if none is named"],
    ["search words…", "rank the tools of all servers"],
    ["docs server [tool]", "print Python stubs of a server's tools"],
  ],
};

const EXAMPLES =
  `COMMAND --help shows the options of a command, help all shows all options.
Options stand before or after the command. A flag wins over its variable, and a
variable over --config FILE: --max-timeout 60 is MCP_RUN_PYTHON_MAX_TIMEOUT=60,
or max-timeout = 60 in the file.

Examples:
  mcp-run-python --deps numpy,pandas stdio   # serve MCP, with packages
  mcp-run-python --deps numpy example        # check that all of it works here
  mcp-run-python --deps-file requirements.txt install
  mcp-run-python --deps-file requirements.txt --offline stdio
  mcp-run-python run -c "print(6 * 7)"
  mcp-run-python run --timeout 5 --memory 256 script.py its arguments`;

const EXAMPLES_OF: Partial<Record<CommandName, string>> = {
  wrap: `Examples:
  mcp-run-python wrap --learn -- npx -y @modelcontextprotocol/server-memory
  mcp-run-python wrap --policy memory.yaml -- npx -y @modelcontextprotocol/server-memory
  mcp-run-python wrap --policy notes.yaml -- node dist/server.js
  mcp-run-python wrap --policy git.yaml -- python3 -m mcp_server_git   # needs bubblewrap`,
};

const ALWAYS: [string, string][] = [
  ["-V, --version", "show the version"],
  ["-h, --help", "show this help"],
];
/** Lines below the options of a group. */
const BELOW: Record<string, [string, string][]> = {
  Logs: [["--verbose", "the same as --log-level debug"]],
  Other: ALWAYS,
};

export type Topic = "all" | CommandName | Option;

/** The help of a topic: an option, those of a command, all, or a page of what people use. */
export function helpText(topic?: Topic): string {
  if (typeof topic === "object") {
    return section("Option", [toLine(topic)]).join("\n").trimEnd();
  }
  if (topic === undefined || topic === "all") {
    const commands = COMMANDS.map((name): [string, string] => {
      const [words, help] = COMMAND_LINES[name];
      return [`${name} ${words}`.trim(), help];
    });
    return [
      "Usage: mcp-run-python [options] <command>\n",
      "Runs Python that a language model wrote, in a sandbox.\n",
      ...section("Commands", commands),
      ...topic === "all"
        ? toGroups(OPTIONS)
        : section("Options that people use", [
          ...OPTIONS.filter(({ spec }) => spec.isCommon).map(toBrief),
          ...ALWAYS,
        ]),
      EXAMPLES,
    ].join("\n");
  }
  const [words, help] = COMMAND_LINES[topic];
  return [
    `Usage: mcp-run-python [options] ${topic} ${words}`.trimEnd(),
    `\n${help.charAt(0).toUpperCase()}${help.slice(1)}.\n`,
    ...section("Actions", ACTIONS[topic] ?? []),
    ...toGroups(OPTIONS.filter(({ commands }) => commands.includes(topic))),
    EXAMPLES_OF[topic] ?? "",
  ].join("\n").trimEnd();
}

/** Sections of options; the last is "Other", as it is in the table. */
function toGroups(options: readonly Option[]): string[] {
  return [...Map.groupBy(options, ({ spec }) => spec.group)]
    .flatMap(([group, rows]) =>
      section(group, [...rows.map(toLine), ...BELOW[group] ?? []])
    );
}

/** The first words of a help, to stand in a line. */
function toBrief({ flags, spec }: Option): [string, string] {
  return [
    flags.replace(/, --[\w-]+/, ""),
    spec.help.replace(/([;:]|, (such|as)) .*/, ""),
  ];
}

function toLine({ flags, spec, preset }: Option): [string, string] {
  const usual = preset === undefined
    ? spec.default ?? spec.usually ?? spec.computed
    : undefined;
  return [
    flags,
    spec.help + (usual === undefined ? "" : ` (default: ${usual})`),
  ];
}

const WIDEST_TERM = 34;
const COLUMNS = 80;

/** Lines in two columns; none without rows. */
function section(title: string, rows: readonly [string, string][]): string[] {
  if (rows.length === 0) return [];
  const width = Math.min(
    WIDEST_TERM,
    Math.max(...rows.map(([term]) => term.length)),
  );
  const lines = rows.flatMap(([term, meaning]) => {
    const [first = "", ...more] = wrap(meaning, COLUMNS - width - 4);
    const rest = more.map((line) => " ".repeat(width + 4) + line);
    return term.length <= width
      ? [`  ${term.padEnd(width)}  ${first}`, ...rest]
      : [`  ${term}`, " ".repeat(width + 4) + first, ...rest];
  });
  return [`${title}:`, ...lines, ""];
}

function wrap(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = `${lines.at(-1)} ${word}`.trimStart();
    if (line.length <= width) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines;
}
