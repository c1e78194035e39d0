import { parseArgs } from "node:util";
import { usageError } from "../errors.ts";
import {
  COMMAND_LINES,
  type CommandName,
  COMMANDS,
  type Option,
} from "../settings/option.ts";
import { OPTIONS, OTHER_OPTIONS, SETTINGS } from "../settings.ts";
import { didYouMean } from "../did_you_mean.ts";

/** The texts that each option was given as a flag, in order. */
export type Flags = Map<Option, string[]>;

/** The words of a command line, by what they are. */
export interface Words {
  flags: Flags;
  /** The command, and what stands behind it, but options. */
  operands: string[];
  /** Arguments of the code of `run`, or of the program of `wrap`. */
  args: string[];
  asks?: "help" | "version";
  /** An option behind the code of `run`, to which it goes. */
  late?: string;
  /** What is wrong with an option; asking for help comes first. */
  fault?: Error | undefined;
}

/** Words of the predecessor and of other programs, and their like here. */
const SIMILAR: Readonly<Record<string, string>> = {
  http: "streamable-http",
  "streamable_http": "streamable-http",
  sse: "streamable-http",
  serve: "stdio or streamable-http",
  start: "stdio or streamable-http",
  python: "run or repl",
  shell: "repl",
  exec: "run",
  eval: "run",
  version: "--version",
  warmup: "install",
  prune: "cache prune",
  clean: "cache clean",
};

/** The replacements of the predecessor's options. */
const REMEDIES: Readonly<Record<string, string>> = {
  "--disable-networking":
    "Leave it out: code reaches no host unless --allow-net names it.",
  "--allow-networking":
    'Use --allow-net "*" for any host of the internet, or name hosts.',
};

const ROWS = new Map(
  OPTIONS.flatMap((option) =>
    option.flags.split(/[ ,]+/).filter((flag) => flag.startsWith("-"))
      .map((flag) => [flag.replace(/^--?/, ""), option] as const)
  ),
);

const KNOWN = Object.fromEntries([
  ...[...ROWS].map(([name, { preset }]) =>
    toKnown(name, preset === undefined ? "string" : "boolean")
  ),
  ...["help", "h", "version", "V", "verbose", "no-structured"].map((name) =>
    toKnown(name, "boolean")
  ),
]);

function toKnown(name: string, type: "string" | "boolean") {
  return [name, name.length > 1 ? { type } : { type, short: name }];
}

/**
 * Sorts the words of a command line. The arguments of the code of `run` begin
 * behind its file or `--code`, as they do for Python; a `--` may stand first. So do those
 * of the program of `wrap`.
 */
export function sortWords(argv: readonly string[]): Words {
  const flags: Flags = new Map(OPTIONS.map((option) => [option, []]));
  const words: Words = { flags, operands: [], args: [] };
  const { operands } = words;
  const { tokens } = parseArgs({
    args: [...argv],
    options: KNOWN,
    tokens: true,
    strict: false,
    allowPositionals: true,
  });
  for (const token of tokens) {
    let end = token.index + 1;
    if (token.kind === "positional") operands.push(token.value);
    if (token.kind === "option") {
      const { name, value, inlineValue } = token;
      if (value !== undefined && !inlineValue) end++;
      if (name === "help" || name === "h") words.asks ??= "help";
      else if (name === "version" || name === "V") words.asks ??= "version";
      else if (name === "verbose") flags.get(SETTINGS.logLevel)?.push("debug");
      else if (name === "no-structured") {
        flags.get(SETTINGS.structured)?.push("none");
      } else {
        const word = argv[token.index] ?? "";
        const fault = take(ROWS.get(name), word, value, flags);
        words.fault ??= fault;
      }
    }
    const isCode = operands[1] !== undefined ||
      flags.get(OTHER_OPTIONS.code)?.[0] !== undefined;
    const [command = "", first] = operands;
    const isWhole = command === "run"
      ? isCode
      : command === "wrap" && first !== undefined;
    if (!isWhole) continue;
    const isSaid = argv[end] === "--";
    words.args = argv.slice(isSaid ? end + 1 : end);
    const option = command === "run" && !isSaid && words.args.find(isOption);
    if (option) words.late = option;
    break;
  }
  return words;
}

/** Whether a word is an option of `run`, by its whole name. */
function isOption(word: string): boolean {
  const [, name = ""] = /^--([\w-]+)(=|$)/.exec(word) ?? [];
  const option = ROWS.get(name);
  return option !== undefined && option.commands.includes("run");
}

/** Notes what an option was given; gives the error if that is wrong. */
function take(
  option: Option | undefined,
  word: string,
  value: string | boolean | undefined,
  flags: Flags,
): Error | undefined {
  if (!option) {
    // An option may carry its value: --tiemout=5.
    const [name = ""] = word.split("=");
    const flags = [...ROWS.keys()]
      .map((key) => key.length > 1 ? `--${key}` : `-${key}`);
    const remedy = Object.hasOwn(REMEDIES, name)
      ? ` ${REMEDIES[name]}`
      : toSuggestion(name, [
        ...flags,
        "--help",
        "--version",
        "--verbose",
        ...COMMANDS,
      ]);
    return usageError(`Unknown option '${word}'.${remedy}`);
  }
  const { flag, flags: all, preset } = option;
  if (preset !== undefined && value !== undefined) {
    return usageError(`Cannot give ${flag} a value, as in '${word}'.`);
  }
  const text = preset ?? value;
  if (typeof text !== "string") {
    const [placeholder = ""] = /<.*>/.exec(all) ?? [];
    return usageError(
      `Cannot use ${flag} without its value: ${flag} ${placeholder}.`,
    );
  }
  flags.get(option)?.push(text);
}

/** @throws {UserError} If the words name no command, or have too many or too few words for it. */
export function toCommand({ operands: all, flags }: Words): CommandName {
  const [word, ...operands] = all;
  if (word === undefined) {
    const rare = ["streamable-http-stateless", "pipe", "help"];
    const usual = COMMANDS.filter((name) => !rare.includes(name));
    const given = [...flags].filter(([, texts]) => texts.length > 0);
    const fit = usual.filter((name) =>
      given.every(([{ commands }]) => commands.includes(name))
    );
    const names = given.map(([{ flag }]) => flag).join(", ");
    const isAny = fit.length === usual.length || fit.length === 0;
    const words = (isAny ? usual : fit).join(", ");
    throw usageError(
      `Cannot start without a command: ${isAny ? "" : `with ${names} `}use ${
        words.replace(/, ([\w-]+)$/, " or $1")
      }.`,
    );
  }
  const command = COMMANDS.find((name) => name === word);
  if (!command) {
    const hint = /\.py$/.test(word)
      ? ` To run a file, use run ${word}.`
      : toSuggestion(word, COMMANDS) ||
        ` Use ${
          COMMANDS.slice(0, 2).join(" or ")
        } to serve, or run to run code.`;
    throw usageError(`Unknown command '${word}'.${hint}`);
  }
  const [line] = COMMAND_LINES[command];
  const most = line === "" ? 0 : line.split(" ").length;
  if (operands.length > most && !line.includes("...")) {
    const hint = most === 0
      ? ` Name packages with --deps, as in: --deps ${operands[0]} ${command}.`
      : "";
    const counted = `${most} argument${most === 1 ? "" : "s"}`;
    const got = `${operands.length}: ${operands.join(", ")}`;
    throw usageError(
      `Too many arguments for '${command}'. Expected ${counted} but got ${got}.${hint}`,
    );
  }
  return command;
}

/** The sentence that names a right word in place of a wrong one, if there is a near one. */
export function toSuggestion(word: string, candidates: readonly string[]) {
  const similar = Object.hasOwn(SIMILAR, word) && SIMILAR[word];
  return similar ? ` Use ${similar}.` : didYouMean(word, candidates);
}
