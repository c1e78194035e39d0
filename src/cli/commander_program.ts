import { Command, Option } from "../../deps/commander.ts";
import { type CliOption, OPTIONS } from "./options.ts";

/** The texts that each option was given as a flag, in order. */
export type Flags = Map<CliOption<unknown>, string[]>;

/** What each command does, in one line. */
const COMMANDS = {
  "stdio": "serve MCP over stdin and stdout",
  "example": "install --deps, use them as a client would",
  "install": "install --deps, say what is where",
  "lock [file]": "write what install would do to a lock file",
  "run [file]": "run a file, - for stdin, or --code, once",
  "doctor": "show versions, cache, sources, permissions",
  "cache <action>": "dir, list, prune or clean: what is in the cache",
};

const EXAMPLES = `
A flag wins over its variable: --max-timeout 60 is
MCP_RUN_PYTHON_MAX_TIMEOUT=60, --no-structured is MCP_RUN_PYTHON_STRUCTURED=0.

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
    mcp-run-python run script.py --timeout 5 --memory 256`;

/** The command line as commander knows it; it tells `flags` what it finds. */
export function buildProgram(version: string, flags: Flags): Command {
  const program: Command = new Command("mcp-run-python")
    .usage("[options] <command>")
    .description("Runs Python that a language model wrote, in a sandbox.")
    .showSuggestionAfterError(false)
    .helpCommand(false)
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
  for (const option of Object.values(OPTIONS)) {
    addOption(program, option, flags);
  }
  program
    .optionsGroup("Other:")
    .version(version, "--version", "show the version")
    .helpOption("-h, --help", "show this help");
  for (const [name, help] of Object.entries(COMMANDS)) {
    program.command(name).description(help);
  }
  return program;
}

function addOption(program: Command, spec: CliOption<unknown>, flags: Flags) {
  const hint = spec.default === undefined ? "" : ` (default: ${spec.default})`;
  const option = new Option(spec.flags, spec.help + hint).helpGroup(spec.group);
  program.addOption(option);

  const texts: string[] = [];
  flags.set(spec, texts);
  program.on(
    `option:${option.name()}`,
    (text?: string) => texts.push(text ?? spec.preset ?? ""),
  );
}

/** All of `--help`. */
export function helpText(program: Command): string {
  return program.helpInformation() + EXAMPLES;
}

/** Every option and command, to find what a misspelt one meant. */
export function knownWords(program: Command): string[] {
  const options = program.options.flatMap(({ short, long }) => [short, long]);
  const commands = program.commands.map((command) => command.name());
  return [...options, ...commands, "--help"].filter((word) =>
    word !== undefined
  );
}
