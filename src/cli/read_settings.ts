import { usageError } from "../errors.ts";
import { hideCredentials } from "../requirements/hide_credentials.ts";
import type { Kind, Place } from "../settings/kind.ts";
import type { CommandName, Option } from "../settings/option.ts";
import {
  DEFAULTS,
  DENO_VARIABLE,
  DISCOVER,
  OPTIONS,
  OTHER_OPTIONS,
  type ReturnMode,
  SETTINGS,
  type Settings,
  TOKEN_VARIABLE,
  toLogLevel,
  toRows,
  VARIABLE_NAMES,
} from "../settings.ts";
import {
  canCodeMode,
  SERVERS_VARIABLES,
  withBridgeVariables,
} from "./bridge_variables.ts";
import { userFolder } from "../library/user_folder.ts";
import { findCaches, NAME } from "./cache_dir.ts";
import type { CliContext, Env } from "./context.ts";
import { pathRules, realPathOf } from "../grants/paths.ts";
import { didYouMean } from "../did_you_mean.ts";
import { refusePackages, toEngines } from "./engines.ts";
import { refuseComma } from "./folders.ts";
import { refuseOverlaps } from "./mount_options.ts";
import { type OptionsFile, toName } from "./options_file.ts";
import type { Flags } from "./words.ts";
import { toPlace } from "./place.ts";
import type { ReadPolicy } from "../grants/policy_file/read_policy.ts";
import { withPolicy } from "./with_policy.ts";
import { readRequirementsFiles } from "./requirements/requirements_file.ts";

/** For code that the user sees, and can stop: a day. */
const REPL_TIMES = { timeoutSeconds: 86_400, maxTimeoutSeconds: 86_400 };
/** For code that combines calls: the calls have time of their own. */
const CODE_MODE_TIMES = { timeoutSeconds: 30, maxTimeoutSeconds: 120 };

/** Where values come from, by weight: flags, variables, a file. */
export interface Sources {
  flags: Flags;
  env: Env;
  file?: OptionsFile;
  policy?: ReadPolicy;
  context: CliContext;
}

/**
 * Merges flags, variables, a file and defaults; options that the command does
 * not use keep their defaults.
 *
 * @throws {UserError} If a value is not of its kind, or a file of requirements
 * cannot be read.
 */
export function readSettings(command: CommandName, whole: Sources): Settings {
  const mcpConfig = canCodeMode(command) ? toMcpConfig(whole) : [];
  const isCodeMode = canCodeMode(command) &&
    (mcpConfig.length > 0 || readOption(SETTINGS.codeMode, whole) === true);
  const { context } = whole;
  const env = withBridgeVariables(whole.env, isCodeMode);
  const sources: Sources = { ...whole, env };
  const chosen: Partial<Settings> = Object.fromEntries(
    toRows().filter(([, option]) => isUsed(option, command))
      .map(([key, option]): unknown[] => [key, readOption(option, sources)])
      .filter(([, value]) => value !== undefined),
  );
  const given = whole.policy === undefined
    ? chosen
    : { ...chosen, ...withPolicy(chosen, whole.policy, context) };
  const { depsFile, engine } = OTHER_OPTIONS;
  const files = readRequirementsFiles(
    isUsed(depsFile, command) ? readOption(depsFile, sources) ?? [] : [],
    env,
    context,
  );
  const { cacheDir, indexUrl = files.indexUrl } = given;
  const settings: Settings = {
    ...DEFAULTS,
    ...given,
    ...toEngines(
      isUsed(engine, command) ? readOption(engine, sources) ?? [] : [],
    ),
    ...toTimeouts(given, {
      ...DEFAULTS,
      ...(isCodeMode && CODE_MODE_TIMES),
      ...(command === "repl" && REPL_TIMES),
    }),
    codeMode: isCodeMode,
    longRuns: given.longRuns === true ||
      given.detachAfterSeconds !== undefined,
    ...(mcpConfig.includes(DISCOVER) ? { discover: true } : {}),
    mcpConfig: mcpConfig.filter((one) => one !== DISCOVER),
    logLevel: toLogLevel(given),
    returnMode: toReturnMode(given, command, isCodeMode),
    dependencies: unite(given.dependencies, files.requirements),
    constraints: unite(given.constraints, files.constraints),
    findLinks: unite(given.findLinks, files.findLinks),
    extraIndexUrls: unite(given.extraIndexUrls, files.extraIndexUrls),
    ...(indexUrl === undefined ? {} : { indexUrl }),
    // A cache that the user names is the only one.
    ...(cacheDir === undefined ? findCaches(env, context) : { cacheDir }),
    ...isCodeMode || given.components ? toStateDir(given, env, context) : {},
  };
  // Deno grants a path as it is named, and looks at the path that links lead to.
  const paths = [
    "cacheDir",
    "otherCacheDir",
    "runtimeFolder",
    "stateDir",
  ] as const;
  for (const key of paths) {
    const path = settings[key];
    if (path !== undefined) settings[key] = realPathOf(path, context);
  }
  refuseConflicts(settings, context);
  return settings;
}

/** The files of servers that are named: by the option, then by other variables. */
function toMcpConfig(sources: Sources): string[] {
  const { env, context } = sources;
  const given = readOption(SETTINGS.mcpConfig, sources) ?? [];
  const more = SERVERS_VARIABLES.flatMap((name) => {
    const text = env[name];
    const place = toPlace(name, { context, env });
    return text ? readAs(SETTINGS.mcpConfig.kind, name, text, place) : [];
  });
  return unite(given, more);
}

/** Values of options by their keys in a file of options. */
export type GivenOptions = Record<string, string | string[] | number | boolean>;

/** Groups of options that say how to install, and where from. */
const OF_INSTALLS = [
  "Packages",
  "Sources, in their order",
  "Cache and network",
];

/** The options of a command that are given, but for those of installs. */
export function givenOptions(
  command: CommandName,
  sources: Sources,
): GivenOptions {
  const given: GivenOptions = {};
  for (const option of OPTIONS) {
    const { kind, spec, names: [key] } = option;
    if (!key || !isUsed(option, command) || OF_INSTALLS.includes(spec.group)) {
      continue;
    }
    const { texts } = findTexts(option, sources);
    const [last] = texts.slice(-1);
    if (last === undefined) continue;
    const value = readOption(option, sources);
    const isPlain = typeof value === "number" || typeof value === "boolean";
    given[key] = isPlain ? value : kind.join ? texts : last;
  }
  return given;
}

export function isUsed({ commands }: Option, command: CommandName): boolean {
  return commands.includes(command);
}

/** The value of an option, from the first source that has it. */
export function readOption<V>(
  option: Option<Kind<V>>,
  sources: Sources,
): V | undefined {
  const { name, texts, place } = findTexts(option, sources);
  const values = texts.map((text) => readAs(option.kind, name, text, place));
  return values.length > 0 && option.kind.join
    ? option.kind.join(values)
    : values.at(-1);
}

/** The texts of an option, and the place that they refer to. */
function findTexts(
  option: Option,
  { flags, env, file, context }: Sources,
): { name: string; texts: string[]; place: Place } {
  const from = (name: string, texts: string[]) => ({
    name,
    texts,
    place: toPlace(name, { context, env }),
  });
  const texts = flags.get(option) ?? [];
  if (texts.length > 0) return from(option.flag, texts);

  // A variable that is set to nothing counts as not set.
  const variable = option.variables.find((name) => env[name]) ?? "";
  const text = env[variable];
  if (text) return from(variable, [text]);

  const inFile = file?.given.get(option);
  if (!file || !inFile) return from("", []);
  const name = toName(inFile.key, file.path);
  const cwd = pathRules(context).dirname(file.path);
  const where = ` in "${file.path}"`;
  const place = toPlace(name, { context: { ...context, cwd }, env, where });
  return { name, texts: inFile.texts, place };
}

/** Reads the value of the flag, variable, key or argument called `name`. */
export function readAs<V>(
  kind: Kind<V>,
  name: string,
  text: string,
  place: Place,
): V {
  const hasNul = text.includes("\0");
  const value = hasNul ? undefined : kind.parse(text, place);
  if (value !== undefined) return value;
  const shown = JSON.stringify(hideCredentials(kind.shown?.(text) ?? text));
  const wants = hasNul ? "free of NUL bytes" : kind.wants;
  const instead = hasNul ? undefined : kind.instead?.(text);
  throw usageError(
    `Cannot use ${shown} for ${name} as it must be ${wants}.` +
      didYouMean(text, kind.choices ?? []) +
      (instead === undefined ? "" : ` Write ${instead} instead.`),
  );
}

/** A sentence for each variable that looks like ours and is not. */
export function warnOfVariables(env: Env): string[] {
  const known = [...VARIABLE_NAMES, TOKEN_VARIABLE, DENO_VARIABLE];
  return Object.keys(env).filter((name) =>
    name.startsWith("MCP_RUN_PYTHON_") && !known.includes(name)
  ).map((name) => {
    const hint = didYouMean(name, VARIABLE_NAMES);
    return `Ignoring ${name} as no option has this variable.${hint}`;
  });
}

function refuseConflicts(settings: Settings, context: CliContext): void {
  const { locked, dependencies, constraints, mounts, stateDir } = settings;
  // A lock file is the whole of an install.
  if (locked && dependencies.length + constraints.length > 0) {
    throw usageError(
      "Cannot use --locked with other packages or constraints: it installs what the lock file says. Leave one out, or write a new lock file.",
    );
  }
  if (settings.sessions === "none" && settings.fileTools) {
    throw usageError(
      "Cannot use --file-tools with --sessions none as it needs a session. Leave one out.",
    );
  }
  if (settings.inspect === "sandbox" && settings.isolation !== "none") {
    throw usageError(
      `Cannot inspect a sandbox with --isolation ${settings.isolation} as no debugger reaches a network of its own. Use --isolation none.`,
    );
  }
  refusePackages(settings);
  refuseOverlaps(mounts, context);
  const other = "choose another folder with";
  refuseComma(settings.cacheDir, "keep the cache in", `${other} --cache-dir`);
  if (stateDir !== undefined && !settings.isUsualStateDir) {
    const doing = "keep memory and saved tools in";
    refuseComma(stateDir, doing, `${other} --state-dir`);
  }
}

/** The forms of results, the usual one first. */
function toReturnMode(
  { returnMode }: Partial<Settings>,
  command: CommandName,
  isCodeMode: boolean,
): ReturnMode {
  const forms: ReturnMode[] = command === "run"
    ? ["xml", "json", "value"]
    : isCodeMode
    ? ["compact", "json", "toon"]
    : ["xml", "json"];
  if (returnMode === undefined) return forms[0] ?? "xml";
  if (forms.includes(returnMode)) return returnMode;
  const what = isCodeMode ? "code mode" : command;
  const named = forms.join(", ").replace(/, (\w+)$/, " or $1");
  throw usageError(
    `Cannot use --return-mode ${returnMode} with ${what} as its results are ${named}.`,
  );
}

type Times = Pick<Settings, "timeoutSeconds" | "maxTimeoutSeconds">;

/** Keeps the timeout within the longest one, giving way where none was asked. */
function toTimeouts(
  { timeoutSeconds: asked, maxTimeoutSeconds: longest }: Partial<Settings>,
  { timeoutSeconds, maxTimeoutSeconds }: Times,
): Times {
  if (asked !== undefined && longest !== undefined && asked > longest) {
    throw usageError(
      `Cannot use a timeout of ${asked} seconds as the longest, --max-timeout, is ${longest}.`,
    );
  }
  return {
    timeoutSeconds: asked ?? Math.min(timeoutSeconds, longest ?? Infinity),
    maxTimeoutSeconds: longest ?? Math.max(maxTimeoutSeconds, asked ?? 0),
  };
}

/** The folder of the values that outlive sessions. */
function toStateDir(
  { stateDir }: Partial<Settings>,
  env: Env,
  context: CliContext,
): Pick<Settings, "stateDir" | "isUsualStateDir"> {
  if (stateDir !== undefined) return { stateDir };
  const folder = userFolder("state", env, context);
  if (folder === undefined) return {};
  const { join } = pathRules(context);
  return { stateDir: join(folder, NAME, "kept"), isUsualStateDir: true };
}

function unite(given: string[] = [], more: string[]): string[] {
  return [...new Set([...given, ...more])];
}
