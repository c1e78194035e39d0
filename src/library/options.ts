/** A value of an option of the command line. */
export type Option = string | number | boolean | readonly string[];

/** Options of a sandbox; all have the defaults of the command line. */
export interface SandboxOptions {
  /** Packages to install before the first run, as requirements: `rich>=14`. */
  dependencies?: readonly string[];
  /** Hosts that code may reach, such as `api.example.com:443`; none by default. */
  allowNet?: readonly string[];
  /** Names of packages that `install()`, and metadata of code, may ask for. */
  allowInstall?: readonly string[];
  /** Seconds of a run that names none; 60 by default. */
  timeoutSeconds?: number;
  /** Memory that Python may take; 1024 by default. */
  memoryMiB?: number;
  /** Folders that code sees, as `HOST[:GUEST][:ro|rw]`. */
  mounts?: readonly string[];
  /** Variables of the code's `os.environ`, which otherwise has none of yours. */
  env?: Readonly<Record<string, string>>;
  /** Folder of installed packages. */
  cacheDir?: string;
  /** Whether to touch no network and use the cache alone. */
  offline?: boolean;
  /** Any other option of the command line, by name: `{ "max-output": 100_000 }`. */
  options?: Readonly<Record<string, Option>>;
}

/** The launcher's arguments, and variables it has beside those of this process. */
export interface CommandLine {
  args: string[];
  variables: Record<string, string>;
}

/** The options of a sandbox, and those of the command line. */
export const FLAGS = {
  dependencies: "deps",
  allowNet: "allow-net",
  allowInstall: "allow-install",
  timeoutSeconds: "timeout",
  memoryMiB: "memory",
  mounts: "mount",
  cacheDir: "cache-dir",
  offline: "offline",
} as const satisfies Partial<Record<keyof SandboxOptions, string>>;

/** The variable of `--env`. */
const ENV = "MCP_RUN_PYTHON_ENV";

/**
 * Makes the launcher's command line.
 *
 * @throws {TypeError} If an option is unknown, or is not a list where it must be one.
 */
export function toCommandLine(given: SandboxOptions): CommandLine {
  const args: string[] = [];
  checkNames(
    "A sandbox",
    Object.keys(given),
    [...Object.keys(FLAGS), "env", "options"],
    "any option of the command line can be given in `options`",
  );
  for (const [name, value] of Object.entries(given)) {
    const flag = Object.entries(FLAGS).find(([key]) => key === name)?.[1];
    if (flag === undefined || value === undefined) continue;
    if (LISTS.includes(name) && !Array.isArray(value)) {
      throw new TypeError(
        `${name} must be a list of texts, and not ${JSON.stringify(value)}.`,
      );
    }
    args.push(...toArguments(flag, value));
  }
  for (const [name, value] of Object.entries(given.options ?? {})) {
    args.push(...toArguments(name, value));
  }
  return {
    args,
    // All users of a machine read command lines; and a variable of the code's by
    // its own name would be the launcher's, too: LD_PRELOAD, MCP_RUN_PYTHON_MOUNT.
    variables: given.env ? { [ENV]: JSON.stringify(given.env) } : {},
  };
}

export const LISTS: readonly string[] = [
  "dependencies",
  "allowNet",
  "allowInstall",
  "mounts",
];

function toArguments(name: string, value: Option): string[] {
  const flag = `--${name}`;
  if (value === true) return [flag];
  if (value === false) return [];
  const values = typeof value === "object" ? value : [value];
  return values.flatMap((one) => [flag, `${one}`]);
}

/** @throws {TypeError} If a name is not known. */
export function checkNames(
  subject: string,
  given: readonly string[],
  known: readonly string[],
  more = "",
): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const has = [known.join(", "), ...(more ? [more] : [])].join("; ");
  throw new TypeError(`${subject} has no option "${unknown}". It has ${has}.`);
}
