import { type Command, CommanderError } from "../../deps/commander.ts";
import { usageError } from "../errors.ts";
import { EXIT } from "../errors.ts";
import type { Settings } from "../settings.ts";
import { type CacheAction, cacheAction, path } from "./kinds.ts";
import { OPTIONS } from "./options.ts";
import { type CliContext, type Env, pathRules } from "./context.ts";
import {
  buildProgram,
  type Flags,
  helpText,
  knownWords,
} from "./commander_program.ts";
import {
  readAs,
  readOption,
  readSettings,
  warnOfVariables,
} from "./read_settings.ts";
import { didYouMean } from "./did_you_mean.ts";

export type { CliContext, Env };

const DEFAULT_LOCK = "mcp-run-python.lock";

/** What the user asked for. */
export type Invocation =
  | {
    command: "stdio" | "example" | "doctor";
    settings: Settings;
    warnings: string[];
  }
  | {
    command: "install";
    /** Only to say what would be installed. */
    dryRun: boolean;
    settings: Settings;
    warnings: string[];
  }
  /** The path, of the file to write, is absolute. */
  | { command: "lock"; path: string; settings: Settings; warnings: string[] }
  | {
    command: "cache";
    action: CacheAction;
    settings: Settings;
    warnings: string[];
  }
  | { command: "run"; source: Source; settings: Settings; warnings: string[] }
  /** Only to print `text`, which ends without a line break, on stdout. */
  | { command: "print"; text: string; exitCode: number };

/** Where the code of `run` comes from; a path is absolute. */
export type Source =
  | { kind: "file"; path: string }
  | { kind: "code"; code: string }
  | { kind: "stdin" };

/**
 * Reads the command line; writes nothing and never exits.
 *
 * @param argv Arguments after the program's own name.
 * @throws {UserError} If an option, value or command is wrong.
 */
export function parseArguments(
  argv: readonly string[],
  env: Env,
  context: CliContext,
): Invocation {
  const flags: Flags = new Map();
  const program = buildProgram(context.version, flags);
  try {
    program.parse(argv, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return toPrint(error, program);
    throw error;
  }
  return toInvocation(program.args, flags, env, context);
}

function toInvocation(
  [command, operand]: string[],
  flags: Flags,
  env: Env,
  context: CliContext,
): Invocation {
  const code = readOption(OPTIONS.code, flags, env).at(-1);
  if (command !== "run" && code !== undefined) {
    throw usageError(`Cannot use --code with ${command} as only run takes it.`);
  }
  const dryRun = readOption(OPTIONS.dryRun, flags, env).at(-1) ?? false;
  if (command !== "install" && dryRun) {
    throw usageError(
      `Cannot use --dry-run with ${command} as only install takes it.`,
    );
  }
  const merged = {
    settings: readSettings(flags, env, context),
    warnings: warnOfVariables(env),
  };
  switch (command) {
    case "stdio":
    case "example":
    case "doctor":
      return { command, ...merged };
    case "install":
      return { command, dryRun, ...merged };
    case "lock":
      return {
        command,
        path: toPath(operand ?? DEFAULT_LOCK, context),
        ...merged,
      };
    case "cache": {
      const action = readAs(cacheAction, "cache", operand ?? "");
      return { command, action, ...merged };
    }
    case "run":
      return { command, source: toSource(operand, code, context), ...merged };
    default:
      throw new TypeError(`Command "${command}" is in --help but not here`);
  }
}

function toSource(
  file: string | undefined,
  code: string | undefined,
  context: CliContext,
): Source {
  if (file !== undefined && code !== undefined) {
    throw usageError(`Cannot run both "${file}" and --code: give one of them.`);
  }
  if (code !== undefined) return { kind: "code", code };
  if (file === undefined) {
    throw usageError(
      "Cannot run without code: name a file, - for stdin, or -c <code>.",
    );
  }
  if (file === "-") return { kind: "stdin" };
  return { kind: "file", path: toPath(file, context) };
}

function toPath(file: string, context: CliContext): string {
  return pathRules(context).resolve(context.cwd, readAs(path, "FILE", file));
}

/** What commander stopped for: something to print, or a wrong command line. */
function toPrint(error: CommanderError, program: Command): Invocation {
  switch (error.code) {
    case "commander.version":
      return { command: "print", text: error.message, exitCode: EXIT.ok };
    case "commander.helpDisplayed":
      return { command: "print", text: helpText(program), exitCode: EXIT.ok };
    case "commander.help":
      throw usageError(
        "Cannot start without a command: " +
          "use stdio, example, install, lock, run, doctor or cache.",
      );
    case "commander.unknownOption":
    case "commander.unknownCommand": {
      // An option may carry its value: '--tiemout=5'.
      const [, word = ""] = /'([^'=]*)/.exec(error.message) ?? [];
      throw usageError(sentence(error) + didYouMean(word, knownWords(program)));
    }
    case "commander.missingArgument":
      throw usageError(
        `Cannot use cache without saying what to do: ${cacheAction.wants}.`,
      );
    default:
      throw usageError(sentence(error));
  }
}

function sentence({ message }: CommanderError): string {
  const text = message.replace(/^error: /, "").replace(/\.?$/, ".");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
