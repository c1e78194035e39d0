import { EXIT, usageError, UserError } from "../errors.ts";
import type { Kind, Place } from "../settings/kind.ts";
import { age, oneOf, path } from "../settings/kinds.ts";
import {
  type CommandName,
  COMMANDS,
  type OVER_HTTP,
  type ValueOf,
} from "../settings/option.ts";
import {
  OPTIONS,
  OTHER_OPTIONS,
  SETTINGS,
  type Settings,
} from "../settings.ts";
import { helpText, type Topic } from "./help.ts";
import { sortWords, toCommand, toSuggestion, type Words } from "./words.ts";
import {
  canCodeMode,
  warnOfBridgeVariables,
  withBridgeVariables,
} from "./bridge_variables.ts";
import { NAME } from "./cache_dir.ts";
import type { CliContext, Env } from "./context.ts";
import { pathRules } from "../grants/paths.ts";
import { readOptionsFile } from "./options_file.ts";
import { toPlace } from "./place.ts";
import { NOTHING_GRANTED } from "../grants/guest_grants.ts";
import type { WrapOrder as Wrapping } from "../launcher/wrap/wrap.ts";
import type { ReadPolicy } from "../grants/policy_file/read_policy.ts";
import { notForPython, toPythonPath } from "./with_policy.ts";
import {
  type GivenOptions,
  givenOptions,
  isUsed,
  readAs,
  readOption,
  readSettings,
  type Sources,
  warnOfVariables,
} from "./read_settings.ts";
import { userFolder } from "../library/user_folder.ts";

const DEFAULT_LOCK = "mcp-run-python.lock";
const cacheAction = oneOf("dir", "list", "prune", "remove", "clean");

const policyAction = oneOf("check");

const serversAction = oneOf("list", "search", "test", "docs");

const componentsAction = oneOf("list", "inspect", "call");

export type CacheOrder =
  | { action: Exclude<ValueOf<typeof cacheAction>, "prune" | "remove"> }
  | { action: "prune"; olderThanMs: number | undefined }
  /** Ids of environments, or their first letters. */
  | { action: "remove"; ids: string[] };

/** A command to run, with all that it needs. */
export type Invocation =
  & { settings: Settings; warnings: string[] }
  & (
    | { command: "stdio" | "example" | "pipe" | typeof OVER_HTTP[number] }
    /** With `json`, it prints an object and no text. */
    | { command: "doctor"; json: boolean }
    /** With `dryRun`, it only prints the plan. */
    | { command: "install"; dryRun: boolean }
    /** The path, of the file to write, is absolute. */
    | { command: "lock"; path: string }
    | ({ command: "bundle" } & BundleOrder)
    | { command: "cache"; order: CacheOrder }
    | ({ command: "servers" } & ServersOrder)
    | ({ command: "components" } & ComponentsOrder)
    /** The path is absolute. */
    | { command: "policy"; path: string }
    | ({ command: "wrap" } & WrapOrder)
    | ({ command: "run" } & ShellRun)
    | ({ command: "repl" } & PromptOrder)
  );

export interface ServersOrder {
  action: ValueOf<typeof serversAction>;
  /** The words to search for, the servers to test, or a server and maybe its tool. */
  words: string[];
  /** With it, `list` prints an object and no text. */
  json: boolean;
}

export interface ComponentsOrder {
  action: ValueOf<typeof componentsAction>;
  /** A component; for a call a function and its arguments, too. */
  words: string[];
}

/** A server to run; the isolation is a setting. */
export type WrapOrder = Pick<Wrapping, "words" | "grants" | "learns">;

export interface BundleOrder {
  /** The folder to write: absolute. */
  folder: string;
  /** Options beside packages and their sources, as a file of options has them. */
  given: GivenOptions;
}

export interface ShellRun {
  source: Source;
  /** Arguments of the code. */
  args: string[];
  /** Folder for files and pictures: absolute. */
  out?: string | undefined;
  printsResult: boolean;
}

export interface PromptOrder extends Pick<ShellRun, "out"> {
  /** File for the lines that are typed: absolute; undefined if none is kept. */
  history?: string | undefined;
}

/** A text for stdout, without its last line break. */
export interface Print {
  command: "print";
  text: string;
}

/** Where the code of `run` comes from; a path is absolute. */
export type Source =
  | { kind: "file"; path: string }
  | { kind: "code"; code: string }
  | { kind: "stdin" };

/** The name of a source in errors. */
export function nameOf(source: Source): string {
  if (source.kind === "file") return source.path;
  return source.kind === "code" ? "--code" : "standard input";
}

/** An error in code that cannot run, and what to do about it. */
export function cannotRun(source: Source, why: string): UserError {
  return new UserError(`Cannot run ${nameOf(source)}${why}`, EXIT.usage);
}

/**
 * Reads the command line; it writes nothing and never exits.
 *
 * @throws {UserError} If an option, value or command is wrong.
 */
export async function parseArguments(
  argv: readonly string[],
  env: Env,
  context: CliContext,
): Promise<Invocation | Print> {
  const words = sortWords(argv);
  const [word, operand] = words.operands;
  const print = (text: string): Print => ({ command: "print", text });
  if (words.asks === "version") return print(context.version);
  if (words.asks === "help") return print(helpText(toTopic(word)));
  if (words.fault) throw words.fault;
  const command = toCommand(words);
  if (command === "help") return print(helpText(toTopic(operand)));
  return await toInvocation(command, words, { env, context });
}

async function toInvocation(
  command: Exclude<CommandName, "help">,
  { operands: [, operand, ...rest], flags, args, late }: Words,
  { env, context }: Pick<Sources, "env" | "context">,
): Promise<Invocation> {
  const place = toPlace(command, { context, env });
  if (command === "stdio" && operand !== undefined) {
    flags.get(SETTINGS.mounts)?.push(operand, ...rest);
  }
  if (command === "components") {
    flags.get(SETTINGS.components)?.push(...rest.filter(isComponentFile));
  }
  refuseUnused(flags, command);
  const sources: Sources = {
    flags,
    context,
    env: canCodeMode(command) ? env : withBridgeVariables(env, false),
  };
  const file = readOption(OTHER_OPTIONS.config, sources);
  if (file) sources.file = await readOptionsFile(file, context);
  const policy = isUsed(SETTINGS.policy, command)
    ? readOption(SETTINGS.policy, sources)
    : undefined;
  let wrapped: ReadPolicy | undefined;
  if (policy !== undefined) {
    // Most starts have no policy.
    const { readPolicyFile } = await import(
      "../grants/policy_file/read_policy.ts"
    );
    const place = { ...context, env };
    const toGuest = (host: string) => toPythonPath(host, context);
    if (command === "wrap") wrapped = readPolicyFile(policy, place);
    else sources.policy = readPolicyFile(policy, { ...place, toGuest });
  }
  const settings = readSettings(command, sources);
  const warnings = [
    ...warnOfVariables(env),
    ...sources.policy
      ? [...sources.policy.warnings, ...notForPython(sources.policy.grants)]
      : [],
    ...wrapped?.warnings ?? [],
    ...settings.codeMode ? warnOfBridgeVariables(env) : [],
  ];
  const merged = { settings, warnings };
  const json = readOption(OTHER_OPTIONS.json, sources) ?? false;
  const out = readOption(OTHER_OPTIONS.out, sources);
  const toPath = (file: string) => readAs(path, "FILE", file, place);
  switch (command) {
    case "install": {
      const dryRun = readOption(OTHER_OPTIONS.dryRun, sources) ?? false;
      return { command, dryRun, ...merged };
    }
    case "lock": {
      const file = operand ?? DEFAULT_LOCK;
      if (/^[\w-]+$/.test(file)) {
        throw usageError(
          `Cannot write the lock file "${file}" as its name has no ending, like that of a package. Write it like ${file}.lock, or name packages with --deps.`,
        );
      }
      return { command, path: toPath(file), ...merged };
    }
    case "bundle": {
      const given = givenOptions(command, sources);
      if (operand === undefined) {
        throw usageError(
          "Cannot write a bundle without its folder, as in: bundle ./mcp-bundle.",
        );
      }
      return { command, folder: toPath(operand), given, ...merged };
    }
    case "cache": {
      const action = readAction(cacheAction, command, operand, place);
      return { command, order: toCacheOrder(action, rest, place), ...merged };
    }
    case "servers": {
      const action = readAction(serversAction, command, operand, place);
      return { command, ...toServersOrder(action, rest, json), ...merged };
    }
    case "components": {
      const action = readAction(componentsAction, command, operand, place);
      const words = rest.filter((word) => !isComponentFile(word));
      return { command, action, words, ...merged };
    }
    case "wrap": {
      if (operand === undefined) {
        throw usageError(
          "Cannot wrap a server without its command, as in: wrap -- npx -y @modelcontextprotocol/server-memory.",
        );
      }
      const grants = wrapped?.grants ?? NOTHING_GRANTED;
      const learns = readOption(OTHER_OPTIONS.learn, sources) ?? false;
      return { command, words: [operand, ...args], grants, learns, ...merged };
    }
    case "policy": {
      readAction(policyAction, command, operand, place);
      const [file] = rest;
      if (file === undefined) {
        throw usageError(
          "Cannot check a policy without its file, as in: policy check policy.yaml.",
        );
      }
      return { command, path: toPath(file), ...merged };
    }
    case "doctor":
      return { command, json, ...merged };
    case "run": {
      const code = readOption(OTHER_OPTIONS.code, sources);
      const source = toSource(operand, code, toPath);
      if (late !== undefined) warnings.push(toldOrRefused(late, source));
      const printsResult = settings.returnMode === "value";
      return { command, source, args, printsResult, out, ...merged };
    }
    case "repl": {
      const folder = settings.history && userFolder("state", env, context);
      const { join } = pathRules(context);
      const history = folder ? join(folder, NAME, "history") : undefined;
      return { command, out, history, ...merged };
    }
    default:
      return { command, ...merged };
  }
}

/** Whether a word is a component as `--wasm` takes it, and not the name of one. */
function isComponentFile(word: string): boolean {
  return /\.wasm(#sha256:\w+)?(@|$)/i.test(word);
}

function readAction<V extends string>(
  kind: Kind<V>,
  command: string,
  word: string | undefined,
  place: Place,
): V {
  if (word !== undefined) return readAs(kind, command, word, place);
  throw usageError(`Cannot use ${command} without an action: ${kind.wants}.`);
}

function toCacheOrder(
  action: CacheOrder["action"],
  words: string[],
  place: Place,
): CacheOrder {
  if (action === "remove") {
    if (words.length > 0) return { action, ids: words };
    throw usageError(
      "Cannot remove an environment without its id: cache list shows the ids.",
    );
  }
  const [word, ...more] = words;
  if (more.length > 0 || word !== undefined && action !== "prune") {
    const given = words.join(" ");
    throw usageError(
      `Cannot use cache ${action} with "${given}": it takes no more words.`,
    );
  }
  if (action !== "prune") return { action };
  const olderThanMs = word === undefined
    ? undefined
    : readAs(age, "cache prune", word, place);
  return { action, olderThanMs };
}

function toServersOrder(
  action: ServersOrder["action"],
  words: string[],
  json: boolean,
): ServersOrder {
  const refuse = (reason: string) =>
    usageError(`Cannot use servers ${action} ${reason}.`);
  if (json && action !== "list") {
    throw refuse("with --json as only servers list takes it");
  }
  if (action === "list" && words.length > 0) {
    throw refuse(`with "${words.join(" ")}": it takes no more words`);
  }
  if (action === "search" && words.length === 0) {
    throw refuse("without words, as in: servers search create issue");
  }
  if (action === "docs" && words.length === 0) {
    throw refuse("without a server, as in: servers docs git git_log");
  }
  if (action === "docs" && words.length > 2) {
    throw refuse("with more than a server and a tool");
  }
  return { action, words, json };
}

function refuseUnused(flags: Sources["flags"], command: CommandName): void {
  for (const [option, texts] of flags) {
    if (texts.length === 0 || isUsed(option, command)) continue;
    const { flag, commands } = option;
    const last = commands.at(-1);
    const users = commands.length === 1
      ? `${last} takes`
      : `${commands.slice(0, -1).join(", ")} and ${last} take`;
    throw usageError(`Cannot use ${flag} with ${command} as only ${users} it.`);
  }
}

function toSource(
  file: string | undefined,
  code: string | undefined,
  toPath: (file: string) => string,
): Source {
  if (code !== undefined) return { kind: "code", code };
  if (file === "-") return { kind: "stdin" };
  if (file !== undefined) return { kind: "file", path: toPath(file) };
  throw usageError(
    "Cannot run without code: name a file, - for stdin, or -c <code>.",
  );
}

/**
 * What to say of an option behind the code, which gets it: a script may have options
 * of its own, and code of a line hardly does.
 *
 * @throws {UserError} For code of a line.
 */
function toldOrRefused(option: string, source: Source): string {
  const [name] = option.split("=");
  const before = `options of mcp-run-python stand before it, as in:`;
  if (source.kind === "code") {
    throw usageError(
      `Cannot use ${name} behind -c <code>: what follows is for the code, and ${before} run ${name} … -c <code>. For the code, write -- first.`,
    );
  }
  return `${name} goes to the script, as all that follows it: ${before} run ${name} … <file>. Write -- before it if the script has this option.`;
}

/** The topic of help; undefined for the usual options. */
function toTopic(word = "help"): Topic | undefined {
  if (word === "all") return word;
  const option = OPTIONS.find(({ flag }) => flag === `--${word}`);
  if (option) return option;
  // An unknown option: help comes before errors.
  if (word.startsWith("-")) return undefined;
  const topic = COMMANDS.find((name) => name === word);
  if (topic) return topic === "help" ? undefined : topic;
  throw usageError(
    `Cannot help with ${JSON.stringify(word)} as it is not all, a ` +
      `command or an option.${toSuggestion(word, COMMANDS)}`,
  );
}
