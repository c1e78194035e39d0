import { hasCredentials } from "../requirements/hide_credentials.ts";
import type { Settings } from "../settings.ts";
import { type CliOption, OPTIONS } from "./options.ts";
import type { Env } from "./context.ts";

/** How to start this program anew. */
export interface CommandLine {
  /** Options; the command is not among them. */
  args: string[];
  env: Record<string, string>;
}

/**
 * The command line that gives these settings again, whatever variables said.
 *
 * What is or may be secret goes into a variable: any user of a machine can read
 * the arguments of its processes.
 *
 * @param env Variables to keep; those of options are replaced.
 */
export function toCommandLine(settings: Settings, env: Env): CommandLine {
  const mirrored = new Set(
    Object.values(OPTIONS).flatMap(({ variables }) => [...variables]),
  );
  const line: CommandLine = { args: [], env: {} };
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !mirrored.has(name)) line.env[name] = value;
  }
  for (const [name, texts] of Object.entries(toTexts(settings))) {
    const option: CliOption<unknown> = OPTIONS[name as keyof typeof OPTIONS];
    addOption(line, option, texts);
  }
  return line;
}

/** What each option is to be given, in order; none is not to give it. */
function toTexts(
  settings: Settings,
): Record<Exclude<keyof typeof OPTIONS, NotSettings>, string[]> {
  return {
    dependencies: settings.dependencies,
    constraints: settings.constraints,
    locked: maybe(settings.locked?.path),
    allowInstall: settings.allowInstall,
    allowNet: settings.allowNet,
    variables: Object.keys(settings.variables).length > 0
      ? [JSON.stringify(settings.variables)]
      : [],
    findLinks: settings.findLinks,
    dist: maybe(settings.dist),
    extraIndexUrl: settings.extraIndexUrls,
    indexUrl: maybe(settings.indexUrl),
    pyodide: maybe(settings.pyodide),
    timeout: [String(settings.timeoutSeconds)],
    maxTimeout: [String(settings.maxTimeoutSeconds)],
    cpuTime: maybe(settings.cpuSeconds?.toString()),
    maxFilesSize: [String(settings.maxFilesMiB)],
    maxFiles: [String(settings.maxFiles)],
    maxStoredFiles: [String(settings.maxStoredFilesMiB)],
    mount: settings.mounts.map(({ host, guest, isWritable }) =>
      `${host}:${guest}:${isWritable ? "rw" : "ro"}`
    ),
    fileTools: settings.fileTools ? ["1"] : [],
    pool: maybe(settings.pool?.toString()),
    maxConcurrency: maybe(settings.maxConcurrency?.toString()),
    maxQueue: [String(settings.maxQueue)],
    startTimeout: [String(settings.startTimeoutSeconds)],
    memory: [String(settings.memoryMiB)],
    maxOutput: [String(settings.maxOutput)],
    maxCode: [String(settings.maxCode)],
    maxImages: [String(settings.maxImages)],
    maxImageSize: [String(settings.maxImageMiB)],
    maxHostCalls: [String(settings.maxHostCalls)],
    maxHostCallSize: [String(settings.maxHostCallSize)],
    hostCallTimeout: [String(settings.hostCallTimeoutSeconds)],
    isolation: [settings.isolation],
    returnMode: [settings.returnMode],
    structured: settings.structured ? [] : ["0"],
    cacheDir: [settings.cacheDir],
    offline: settings.offline ? ["1"] : [],
    verbose: settings.verbose ? ["1"] : [],
  };
}

/** Options of one command, and one that others give the same as. */
type NotSettings = "code" | "dryRun" | "depsFile";

function maybe(text: string | undefined): string[] {
  return text === undefined ? [] : [text];
}

function addOption(
  { args, env }: CommandLine,
  option: CliOption<unknown>,
  texts: string[],
): void {
  const [flag = ""] = /--[\w-]+/.exec(option.flags) ?? [];
  const [variable = ""] = option.variables;
  // Folders, which cannot be joined, have none.
  const { separator = texts.length > 1 ? undefined : "" } = option;
  const isSecret = option.shown !== undefined || texts.some(hasCredentials);
  if (separator !== undefined && texts.length > 0 && isSecret) {
    env[variable] = texts.join(separator);
  } else if (option.preset !== undefined) {
    args.push(...texts.map(() => flag));
  } else args.push(...texts.map((text) => `${flag}=${text}`));
}
