import { DEFAULTS, type Settings } from "../settings.ts";
import { EXIT, reasonOf, UserError } from "../errors.ts";
import { defaultCacheDir } from "./cache_dir.ts";
import type { Kind } from "./kinds.ts";
import { type CliOption, OPTIONS } from "./options.ts";
import { type Env, pathRules, type Places } from "./places.ts";
import type { Flags } from "./program.ts";
import { parseRequirementsFile } from "./requirements.ts";
import { didYouMean, usageError } from "./usage_error.ts";

/**
 * Merges flags, variables and defaults, in this order of weight.
 *
 * @throws {UserError} If a value is none of its kind, or a file of requirements
 * cannot be read.
 */
export function readSettings(flags: Flags, env: Env, places: Places): Settings {
  const all = <T>(option: CliOption<T>) => readOption(option, flags, env);
  const last = <T>(option: CliOption<T>) => all(option).at(-1);

  const indexUrl = last(OPTIONS.indexUrl);
  const pyodide = last(OPTIONS.pyodide);
  return {
    dependencies: unique([
      ...all(OPTIONS.dependencies).flat(),
      ...all(OPTIONS.depsFile).flatMap((file) => readDepsFile(file, places)),
    ]),
    constraints: [],
    findLinks: [],
    extraIndexUrls: [],
    allowInstall: [],
    ...toTimeouts(last(OPTIONS.timeout), last(OPTIONS.maxTimeout)),
    memoryMiB: last(OPTIONS.memory) ?? DEFAULTS.memoryMiB,
    maxOutput: last(OPTIONS.maxOutput) ?? DEFAULTS.maxOutput,
    maxCode: last(OPTIONS.maxCode) ?? DEFAULTS.maxCode,
    returnMode: last(OPTIONS.returnMode) ?? DEFAULTS.returnMode,
    structured: last(OPTIONS.structured) ?? DEFAULTS.structured,
    ...(indexUrl === undefined ? {} : { indexUrl }),
    ...(pyodide === undefined
      ? {}
      : { pyodide: pathRules(places).resolve(places.cwd, pyodide) }),
    cacheDir: toCacheDir(last(OPTIONS.cacheDir), env, places),
    offline: last(OPTIONS.offline) ?? DEFAULTS.offline,
    verbose: last(OPTIONS.verbose) ?? DEFAULTS.verbose,
  };
}

/** Every value of an option: of its flags, else of its variable. */
export function readOption<T>(
  option: CliOption<T>,
  flags: Flags,
  env: Env,
): T[] {
  const texts = flags.get(option) ?? [];
  const [flag = ""] = /--[\w-]+/.exec(option.flags) ?? [];
  if (texts.length > 0) return texts.map((text) => readAs(option, flag, text));

  // One that is set to nothing counts as not set.
  const variable = option.variables.find((name) => env[name]) ?? "";
  const text = env[variable];
  return text ? [readAs(option, variable, text)] : [];
}

/** Reads the value of the flag, variable or argument called `name`. */
export function readAs<T>(kind: Kind<T>, name: string, text: string): T {
  const hasNul = text.includes("\0");
  const value = hasNul ? undefined : kind.parse(text);
  if (value !== undefined) return value;
  throw usageError(
    `Cannot use ${JSON.stringify(text)} for ${name} as it must be ` +
      `${hasNul ? "free of NUL bytes" : kind.wants}.` +
      didYouMean(text, kind.choices ?? []),
  );
}

/** One sentence for every variable that looks like ours and is not. */
export function warnOfVariables(env: Env): string[] {
  const known = Object.values(OPTIONS).flatMap((option) => option.variables);
  return Object.keys(env)
    .filter((name) => name.startsWith("MCP_RUN_PYTHON_"))
    .filter((name) => !known.includes(name))
    .map((name) =>
      `Ignoring ${name} as no option has this variable.` +
      didYouMean(name, known)
    );
}

function readDepsFile(file: string, places: Places): string[] {
  const path = pathRules(places).resolve(places.cwd, file);
  let text: string;
  try {
    text = places.readTextFile(path);
  } catch (error) {
    throw new UserError(
      `Cannot read the requirements in "${path}": ${
        reasonOf(error)
      }. Name a file of requirements.`,
      EXIT.usage,
    );
  }
  return parseRequirementsFile(text, path);
}

function toCacheDir(
  chosen: string | undefined,
  env: Env,
  places: Places,
): string {
  const folder = pathRules(places).resolve(
    places.cwd,
    chosen ?? defaultCacheDir(env, places),
  );
  if (!folder.includes(",")) return folder;
  throw usageError(
    `Cannot keep the cache in "${folder}" as Deno takes a path with a comma ` +
      "for two; choose another folder with --cache-dir.",
  );
}

/** Keeps the timeout within the longest one, giving way where none was asked. */
function toTimeouts(asked: number | undefined, longest: number | undefined) {
  if (asked !== undefined && longest !== undefined && asked > longest) {
    throw usageError(
      `Cannot use a timeout of ${asked} seconds as the longest, ` +
        `--max-timeout, is ${longest}.`,
    );
  }
  return {
    timeoutSeconds: asked ??
      Math.min(DEFAULTS.timeoutSeconds, longest ?? Infinity),
    maxTimeoutSeconds: longest ??
      Math.max(DEFAULTS.maxTimeoutSeconds, asked ?? 0),
  };
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)];
}
