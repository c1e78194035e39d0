import { DEFAULTS, type Settings } from "../settings.ts";
import { usageError } from "../errors.ts";
import { hideCredentials } from "../requirements/hide_credentials.ts";
import { reasonOf } from "../errors.ts";
import { defaultCacheDir } from "./cache_dir.ts";
import { refuseComma, toFolder } from "./folders.ts";
import { toMounts } from "./mount_options.ts";
import { type Kind, webAddress } from "./kinds.ts";
import { type CliOption, OPTIONS } from "./options.ts";
import { type CliContext, type Env, pathRules } from "./context.ts";
import type { Flags } from "./commander_program.ts";
import {
  type Origin,
  toConstraint,
  toRequirement,
} from "./requirements/requirement.ts";
import { readRequirementsFiles } from "./requirements/requirements_file.ts";
import { didYouMean } from "./did_you_mean.ts";

/**
 * Merges flags, variables and defaults, in this order of weight.
 *
 * @throws {UserError} If a value is none of its kind, or a file of requirements
 * cannot be read.
 */
export function readSettings(
  flags: Flags,
  env: Env,
  context: CliContext,
): Settings {
  const all = <T>(option: CliOption<T>) => readOption(option, flags, env);
  const last = <T>(option: CliOption<T>) => all(option).at(-1);

  const locked = last(OPTIONS.locked);
  const dist = last(OPTIONS.dist);
  const pyodide = last(OPTIONS.pyodide);
  const files = readRequirementsFiles(all(OPTIONS.depsFile), env, context);
  const indexUrl = last(OPTIONS.indexUrl) ?? files.indexUrl;
  const origin: Origin = { folder: context.cwd, context, where: "" };
  const settings: Settings = {
    dependencies: unique([
      ...all(OPTIONS.dependencies).flat()
        .map((text) => toRequirement(text, origin)),
      ...files.requirements,
    ]),
    constraints: unique([
      ...all(OPTIONS.constraints).flat()
        .map((text) => toConstraint(text, origin)),
      ...files.constraints,
    ]),
    ...(locked === undefined ? {} : { locked: readLock(locked, context) }),
    findLinks: unique([
      ...all(OPTIONS.findLinks)
        .map((text) => toFolder(text, "--find-links", context)),
      ...files.findLinks,
    ]),
    ...(dist === undefined ? {} : { dist: toDist(dist, context) }),
    ...(indexUrl === undefined ? {} : { indexUrl }),
    extraIndexUrls: unique([
      ...all(OPTIONS.extraIndexUrl).flat(),
      ...files.extraIndexUrls,
    ]),
    ...(pyodide === undefined
      ? {}
      : { pyodide: toFolder(pyodide, "--pyodide", context) }),
    allowInstall: unique(all(OPTIONS.allowInstall).flat()),
    allowNet: unique(all(OPTIONS.allowNet).flat()),
    variables: toVariables(all(OPTIONS.variables), env),
    ...toTimeouts(last(OPTIONS.timeout), last(OPTIONS.maxTimeout)),
    ...maybe("pool", last(OPTIONS.pool)),
    ...maybe("maxConcurrency", last(OPTIONS.maxConcurrency)),
    maxQueue: last(OPTIONS.maxQueue) ?? DEFAULTS.maxQueue,
    ...maybe("cpuSeconds", last(OPTIONS.cpuTime)),
    startTimeoutSeconds: last(OPTIONS.startTimeout) ??
      DEFAULTS.startTimeoutSeconds,
    memoryMiB: last(OPTIONS.memory) ?? DEFAULTS.memoryMiB,
    maxFilesMiB: last(OPTIONS.maxFilesSize) ?? DEFAULTS.maxFilesMiB,
    maxFiles: last(OPTIONS.maxFiles) ?? DEFAULTS.maxFiles,
    maxStoredFilesMiB: last(OPTIONS.maxStoredFiles) ??
      DEFAULTS.maxStoredFilesMiB,
    maxOutput: last(OPTIONS.maxOutput) ?? DEFAULTS.maxOutput,
    maxCode: last(OPTIONS.maxCode) ?? DEFAULTS.maxCode,
    maxHostCalls: last(OPTIONS.maxHostCalls) ?? DEFAULTS.maxHostCalls,
    maxHostCallSize: last(OPTIONS.maxHostCallSize) ?? DEFAULTS.maxHostCallSize,
    hostCallTimeoutSeconds: last(OPTIONS.hostCallTimeout) ??
      DEFAULTS.hostCallTimeoutSeconds,
    maxImages: last(OPTIONS.maxImages) ?? DEFAULTS.maxImages,
    maxImageMiB: last(OPTIONS.maxImageSize) ?? DEFAULTS.maxImageMiB,
    mounts: toMounts(all(OPTIONS.mount).flat(), context),
    fileTools: last(OPTIONS.fileTools) ?? DEFAULTS.fileTools,
    isolation: last(OPTIONS.isolation) ?? DEFAULTS.isolation,
    returnMode: last(OPTIONS.returnMode) ?? DEFAULTS.returnMode,
    structured: last(OPTIONS.structured) ?? DEFAULTS.structured,
    cacheDir: toCacheDir(last(OPTIONS.cacheDir), env, context),
    offline: last(OPTIONS.offline) ?? DEFAULTS.offline,
    verbose: last(OPTIONS.verbose) ?? DEFAULTS.verbose,
  };
  if (settings.locked) refuseMore(settings);
  return settings;
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
  const instead = hasNul ? undefined : kind.instead?.(text);
  throw usageError(
    `Cannot use ${
      JSON.stringify(hideCredentials(kind.shown?.(text) ?? text))
    } for ${name} as it must be ` +
      `${hasNul ? "free of NUL bytes" : kind.wants}.` +
      didYouMean(text, kind.choices ?? []) +
      (instead === undefined ? "" : ` Write ${instead} instead.`),
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

function readLock(
  file: string,
  context: CliContext,
): Settings["locked"] & object {
  const path = pathRules(context).resolve(context.cwd, file);
  try {
    return { path, text: context.readTextFile(path) };
  } catch (error) {
    throw usageError(
      `Cannot read the lock file "${path}": ${reasonOf(error)}. ` +
        "Write one with mcp-run-python lock.",
    );
  }
}

/** A lock file is the whole of what is installed. */
function refuseMore({ dependencies, constraints }: Settings): void {
  if (dependencies.length + constraints.length === 0) return;
  throw usageError(
    "Cannot use --locked with other packages or constraints: it installs " +
      "what the lock file says. Leave one out, or write a new lock file.",
  );
}

function toDist(text: string, context: CliContext): string {
  return webAddress.parse(text) ?? toFolder(text, "--dist", context);
}

function toCacheDir(
  chosen: string | undefined,
  env: Env,
  context: CliContext,
): string {
  const folder = pathRules(context).resolve(
    context.cwd,
    chosen ?? defaultCacheDir(env, context),
  );
  refuseComma(
    folder,
    "keep the cache in",
    "choose another folder with --cache-dir",
  );
  return folder;
}

function toVariables(
  given: Record<string, string | undefined>[],
  env: Env,
): Record<string, string> {
  const entries = given.flatMap(Object.entries<string | undefined>);
  return Object.fromEntries(entries.map(([name, text]) => {
    const value = text ?? env[name];
    if (value !== undefined) return [name, value];
    throw usageError(
      `Cannot use "${name}" for --env as there is no such variable here. ` +
        `Set it, or write ${name}=VALUE.`,
    );
  }));
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

function maybe<K extends string, T>(
  key: K,
  value: T | undefined,
): { [key in K]?: T } {
  return value === undefined ? {} : { [key]: value } as { [key in K]: T };
}
