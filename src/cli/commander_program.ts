import { Command, Option as Flag } from "../../deps/commander.ts";
import { type CommandName, COMMANDS, type Option } from "../settings/option.ts";
import { OPTIONS } from "../settings.ts";
import { type Flags, isUsed } from "./read_settings.ts";

const COMMAND_LINES: Record<CommandName, [args: string, help: string]> = {
  stdio: [
    "[folder...]",
    "serve MCP over stdin and stdout, with mounted folders",
  ],
  "streamable-http": ["", "serve MCP over HTTP, and a page to see it"],
  "streamable-http-stateless": ["", "the same, without sessions of MCP"],
  example: ["", "install --deps, use them as a client would"],
  install: ["", "install --deps, show their versions and folder"],
  lock: ["[file]", "write a lock file of what install would install"],
  bundle: ["<folder>", "write a folder that serves without a network"],
  run: ["[file] [args...]", "run a file, - for stdin, or --code, once"],
  repl: ["", "open a Python prompt in a sandbox"],
  pipe: ["", "serve the libraries: lines of JSON over stdin and stdout"],
  servers: ["<action> [words...]", "show the MCP servers that code may call"],
  doctor: ["", "say whether a server would work here, or why not"],
  cache: ["<action> [id...]", "look into the cache, or empty it"],
  help: ["[topic]", "show every option (all), or those of a command"],
};

const CACHE_ACTIONS = `

Actions:
  dir         print the cache's folder
  list        list environments, the last used first, and wheels
  prune       remove what is damaged, or was not used for long (--older-than)
  remove id…  remove environments by their ids, or by the first letters of these
  clean       remove all that is not in use`;

const SERVERS_ACTIONS = `

Actions:
  list                  show each server, its file, and why others are skipped
  test [name…]          start the servers, all if none is named
  search words…         rank the tools of all servers
  docs server [tool]    print Python stubs of a server's tools`;

const ACTIONS: Partial<Record<CommandName, string>> = {
  cache: CACHE_ACTIONS,
  servers: SERVERS_ACTIONS,
};

const EXAMPLES = `
A flag wins over its variable, and a variable over --config FILE: --max-timeout
60 is MCP_RUN_PYTHON_MAX_TIMEOUT=60, or max-timeout = 60 in the file.

Examples:
  Serve MCP, with NumPy and pandas for the model's code:
    mcp-run-python --deps numpy,pandas stdio
  See that all of it works here:
    mcp-run-python --deps numpy example
  Install once, then serve without a network:
    mcp-run-python --deps-file requirements.txt install
    mcp-run-python --deps-file requirements.txt --offline stdio
  Run something at once:
    mcp-run-python run -c "print(6 * 7)"
    mcp-run-python run --timeout 5 --memory 256 script.py its arguments`;

export interface Program {
  command: Command;
  flags: Flags;
  wantsHelp: boolean;
}

/** Makes the program; parsing with its command fills in the rest. */
export function buildProgram(version: string): Program {
  const command: Command = new Command("mcp-run-python")
    .usage("[options] <command>")
    .description("Runs Python that a language model wrote, in a sandbox.")
    .showSuggestionAfterError(false)
    .helpCommand(false)
    .helpOption(false)
    .exitOverride()
    .configureOutput({
      writeOut: () => {},
      writeErr: () => {},
      // Else commander looks at the terminal and at variables such as NO_COLOR.
      getOutHelpWidth: () => 80,
      getErrHelpWidth: () => 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  const program: Program = { command, flags: new Map(), wantsHelp: false };
  for (const option of OPTIONS) addOption(program, option);
  command
    .optionsGroup("Other:")
    .version(version, "-V, --version", "show the version")
    .option("-h, --help", "show this help")
    .on("option:help", () => program.wantsHelp = true);
  for (const name of COMMANDS) {
    const [args, help] = COMMAND_LINES[name];
    command.command(`${name} ${args}`).description(help);
  }
  return program;
}

function addOption({ command, flags }: Program, option: Option): void {
  const { spec, preset, flags: text } = option;
  const usual = preset === undefined
    ? spec.default ?? spec.usually ?? spec.computed
    : undefined;
  const hint = usual === undefined ? "" : ` (default: ${usual})`;
  const flag = new Flag(text, spec.help + hint).helpGroup(`${spec.group}:`);
  command.addOption(flag);

  const texts: string[] = [];
  flags.set(option, texts);
  command.on(
    `option:${flag.name()}`,
    (given?: string) => texts.push(given ?? preset ?? ""),
  );
}

const WIDEST_TERM = 40;

/** The help of a topic: all options, those of a command, or the usual options. */
export function helpText(
  { command: program }: Program,
  topic?: "all" | CommandName,
): string {
  const hidden = OPTIONS.filter((option) =>
    topic !== "all" &&
    !(topic === undefined ? option.spec.isCommon : isUsed(option, topic))
  ).map(({ flags }) => flags);
  program.configureHelp({
    // Wider terms would leave their meanings too few columns.
    optionTerm: ({ flags }) =>
      flags.length > WIDEST_TERM ? flags.replace(/, --[\w-]+/, "") : flags,
    visibleOptions: ({ options }) =>
      options.filter(({ flags }) => !hidden.includes(flags)),
  });
  if (topic === "all") return program.helpInformation() + EXAMPLES;
  if (topic === undefined) {
    return program.helpInformation() +
      "\nhelp all shows every option, help run those of run.\n" + EXAMPLES;
  }
  const [args, help] = COMMAND_LINES[topic];
  return program.usage(`[options] ${topic} ${args}`.trim())
    .description(`${help.charAt(0).toUpperCase()}${help.slice(1)}.`)
    .configureHelp({ ...program.configureHelp(), visibleCommands: () => [] })
    .helpInformation().trimEnd() + (ACTIONS[topic] ?? "");
}

/** Every option and command, to find the right word for a misspelt one. */
export function knownWords({ command }: Program): string[] {
  const options = command.options.flatMap(({ short, long }) => [short, long]);
  return [...options, ...COMMANDS].filter((word) => word !== undefined);
}
