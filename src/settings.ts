import { LONGEST_CALL, MOST_CODE, MOST_OUTPUT } from "./protocol/bounds.ts";
import * as kinds from "./settings/kinds.ts";
import {
  EVERY,
  INSTALLING,
  type KeysTold,
  type KeysWith,
  type KeysWithDefault,
  type Option,
  option,
  SERVING,
  type SettingsOf,
  type Told,
} from "./settings/option.ts";
import { MIB } from "./units.ts";

/**
 * The settings: a row for each, whose name is its key; paths are absolute.
 *
 * Its flag, variable, key in a file, line in the help and in
 * docs/configuration.md, default and type come from the row, and so does the
 * list of processes that are told its value.
 */
export const SETTINGS = {
  /**
   * Requirements (PEP 508). A wheel of this machine is a `file:` URL; behind
   * one may stand ` --hash=sha256:…`, as in a requirements file.
   */
  dependencies: option("--deps, --dependencies <list>", kinds.requirements, {
    group: "Packages",
    help: "names, or URLs or paths of wheels; repeatable",
    commands: INSTALLING,
    isCommon: true,
  }),
  constraints: option("--constraints <list>", kinds.constraints, {
    group: "Packages",
    help: "bounds for packages wanted anyway, such as numpy<3",
    commands: INSTALLING,
  }),
  locked: option("--locked <file>", kinds.lockFile, {
    group: "Packages",
    help: "install exactly the packages of this lock file",
    commands: INSTALLING,
    isCommon: true,
  }),
  allowInstall: option("--allow-install <names>", kinds.packageNames, {
    group: "Packages",
    help: "packages a call may have installed; * is any",
    goesTo: ["server"],
    commands: SERVING,
    isCommon: true,
  }),
  findLinks: option("--find-links <dir>", kinds.folders, {
    group: "Sources, in their order",
    help: "folder of wheels; repeatable",
    commands: INSTALLING,
    isCommon: true,
  }),
  dist: option("--dist <url|dir>", kinds.webAddressOrFolder, {
    group: "Sources, in their order",
    help: "Pyodide distribution, or a copy of it",
    usually: "its own host",
    commands: INSTALLING,
  }),
  extraIndexUrls: option("--extra-index-url <url>", kinds.webAddresses, {
    group: "Sources, in their order",
    help: "package index to ask before the next; repeatable",
    commands: INSTALLING,
  }),
  indexUrl: option("--index-url <url>", kinds.webAddress, {
    group: "Sources, in their order",
    help: "package index to use",
    usually: "PyPI",
    commands: INSTALLING,
    isCommon: true,
  }),
  timeoutSeconds: option("--timeout <seconds>", kinds.seconds, {
    group: "Limits",
    help: "time of a run that names none",
    default: 60,
    goesTo: ["server"],
    isCommon: true,
  }),
  maxTimeoutSeconds: option("--max-timeout <seconds>", kinds.seconds, {
    group: "Limits",
    help: "longest time a call may ask for",
    default: 600,
    goesTo: ["server"],
    commands: SERVING,
  }),
  memoryMiB: option("--memory <MiB>", kinds.integer(128, 4096, "MiB"), {
    group: "Limits",
    help: "memory Python may take",
    default: 1024,
    goesTo: ["sandbox"],
    isCommon: true,
  }),
  cpuSeconds: option("--cpu-time <seconds>", kinds.seconds, {
    group: "Limits",
    help: "CPU time of a run; sleeping takes none",
    usually: "none",
    goesTo: ["sandbox"],
  }),
  maxFilesMiB: option("--max-files-size <MiB>", kinds.integer(1, 4096, "MiB"), {
    group: "Limits",
    help: "size of the files that a run makes",
    default: 256,
    goesTo: ["server", "sandbox"],
  }),
  maxFiles: option("--max-files <count>", kinds.integer(1, 1_000_000), {
    group: "Limits",
    help: "files, folders and links a run may make",
    default: 10_000,
    goesTo: ["server", "sandbox"],
  }),
  maxStoredFilesMiB: option(
    "--max-stored-files <MiB>",
    kinds.integer(1, 4096, "MiB"),
    {
      group: "Limits",
      help: "size of the files of runs that are kept",
      default: 256,
      goesTo: ["server"],
      commands: SERVING,
    },
  ),
  pool: option("--pool <count>", kinds.integer(1, 1000), {
    group: "Limits",
    help: "sandboxes kept ready while calls come",
    usually: "by cores and memory",
    commands: SERVING,
  }),
  maxConcurrency: option("--max-concurrency <count>", kinds.integer(1, 1000), {
    group: "Limits",
    help: "runs at a time",
    usually: "by cores and memory",
    commands: SERVING,
    isCommon: true,
  }),
  maxQueue: option("--max-queue <count>", kinds.integer(1), {
    group: "Limits",
    help: "calls that may wait for their turn",
    default: 100,
    commands: SERVING,
  }),
  startTimeoutSeconds: option("--start-timeout <seconds>", kinds.seconds, {
    group: "Limits",
    help: "time for Python to get ready",
    default: 60,
    goesTo: ["server"],
  }),
  /**
   * An answer has output and value up to four times, as text and as structure,
   * and each character as up to seven bytes: at a message of more than 10 MiB
   * the official client closes the connection.
   */
  maxOutput: option(
    "--max-output <chars>",
    kinds.integer(1, MOST_OUTPUT, "characters"),
    {
      group: "Limits",
      help: "output and result to keep",
      default: 100_000,
      goesTo: ["server"],
      commands: SERVING,
      isCommon: true,
    },
  ),
  maxCode: option("--max-code <bytes>", kinds.integer(1, MOST_CODE, "bytes"), {
    group: "Limits",
    help: "code a call may send",
    default: MIB,
    goesTo: ["server"],
    commands: SERVING,
  }),
  maxHostCalls: option("--max-host-calls <count>", kinds.integer(1), {
    group: "Limits",
    help: "calls of a run on its host",
    default: 1000,
    goesTo: ["server"],
  }),
  maxHostCallSize: option(
    "--max-host-call-size <chars>",
    kinds.integer(1024, LONGEST_CALL),
    {
      group: "Limits",
      help: "JSON of such a call, or of its answer",
      default: MIB,
      goesTo: ["server"],
    },
  ),
  hostCallTimeoutSeconds: option(
    "--host-call-timeout <seconds>",
    kinds.seconds,
    {
      group: "Limits",
      help: "time for such an answer",
      default: 30,
      goesTo: ["server"],
    },
  ),
  maxImages: option("--max-images <count>", kinds.integer(0, 100), {
    group: "Limits",
    help: "pictures a run may show",
    default: 10,
    goesTo: ["server"],
  }),
  /** All pictures of a run are one message, of 10 MiB at most. */
  maxImageMiB: option("--max-image-size <MiB>", kinds.integer(1, 5, "MiB"), {
    group: "Limits",
    help: "size of a picture",
    default: 2,
    goesTo: ["server"],
  }),
  returnMode: option("--return-mode <form>", kinds.oneOf("xml", "json"), {
    group: "Results",
    help: "text of results, xml or json",
    default: "xml",
    goesTo: ["server"],
    commands: SERVING,
  }),
  structured: option("--no-structured", kinds.toggle, {
    group: "Results",
    help: "leave structuredContent out of results",
    default: true,
    goesTo: ["server"],
    commands: SERVING,
  }),
  mounts: option("--mount <host[:guest][:ro|rw]>", kinds.mounts, {
    group: "Files",
    help:
      "folder that Python sees; read-only, at /mnt/<name>, if not said; repeatable",
    goesTo: ["sandbox"],
    isCommon: true,
  }),
  fileTools: option("--file-tools", kinds.toggle, {
    group: "Files",
    help: "offer write_file, read_file, list_files",
    goesTo: ["server"],
    commands: SERVING,
    isCommon: true,
  }),
  cacheDir: option("--cache-dir <dir>", kinds.path, {
    group: "Cache and network",
    help: "folder of packages",
    computed: "node_modules/.cache in a project, else the user's cache",
    commands: EVERY,
    isCommon: true,
    variables: ["MCP_RUN_PYTHON_CACHE"],
  }),
  offline: option("--offline", kinds.toggle, {
    group: "Cache and network",
    help: "touch no network, use the cache alone",
    commands: INSTALLING,
    isCommon: true,
  }),
  /** Hosts that code may reach; see `maybeHost()`. */
  allowNet: option("--allow-net <hosts>", kinds.hosts, {
    group: "Grants",
    help: "hosts that code may reach, such as example.com:443; repeatable",
    usually: "none",
    goesTo: ["server", "sandbox"],
    isCommon: true,
  }),
  variables: option("--env <NAME=VALUE>", kinds.variables, {
    group: "Grants",
    help:
      "a variable of os.environ; NAME alone takes this program's; repeatable",
    goesTo: ["server"],
    isCommon: true,
  }),
  /** Second wall around sandbox processes; `auto` takes one that works. */
  isolation: option(
    "--isolation <wall>",
    kinds.oneOf("none", "auto", "bwrap"),
    {
      group: "Other",
      help: "second wall around Python: none, bwrap (Linux) or auto",
      default: "none",
      commands: INSTALLING,
      isCommon: true,
    },
  ),
  pyodide: option("--pyodide <dir>", kinds.folder, {
    group: "Other",
    help: "folder of another Pyodide to use whole",
    commands: INSTALLING,
  }),
  verbose: option("--verbose", kinds.toggle, {
    group: "Other",
    help: "log more",
    commands: EVERY,
    isCommon: true,
  }),
  inspect: option("--inspect <process>", kinds.oneOf("server", "sandbox"), {
    group: "Debugging",
    help: "open this process to debuggers of this machine: server or sandbox",
    usually: "none",
    commands: ["stdio", "example", "run"],
  }),
};

/** Options that are read into settings, or that only the command line has. */
export const OTHER_OPTIONS = {
  depsFile: option("--deps-file <file>", kinds.paths, {
    group: "Packages",
    help: "a requirements.txt with more; repeatable",
    commands: INSTALLING,
    isCommon: true,
  }),
  config: option("--config <file>", kinds.path, {
    group: "Other",
    help: "a TOML file with options; or a pyproject.toml",
    commands: EVERY,
    isCommon: true,
    givenBy: ["flag", "variable"],
  }),
  code: option("-c, --code <code>", kinds.code, {
    group: "Other",
    help: "Python for the run command, in place of a file",
    commands: ["run"],
    isCommon: true,
    givenBy: ["flag"],
  }),
  dryRun: option("--dry-run", kinds.toggle, {
    group: "Other",
    help: "only print the plan of install",
    commands: ["install"],
    givenBy: ["flag"],
  }),
};

/** Every option. */
export const OPTIONS: readonly Option[] = Object.values({
  ...SETTINGS,
  ...OTHER_OPTIONS,
});

/**
 * The rows, as types of settings are read from them.
 *
 * @internal
 */
type Rows = typeof SETTINGS;

/** All that a user can choose, after flags, variables, file and defaults. */
export interface Settings extends SettingsOf<Rows> {}

/** Settings that choose the packages of an environment. */
export interface PackageSettings extends
  Pick<
    Settings,
    | "dependencies"
    | "constraints"
    | "locked"
    | "findLinks"
    | "dist"
    | "indexUrl"
    | "extraIndexUrls"
    | "pyodide"
  > {}

/**
 * Limits of runs; docs/limits.md has a line for each, with the outcome of a run
 * that reaches it.
 */
export interface Limits
  extends Pick<Settings, KeysWith<Rows, { spec: { group: "Limits" } }>> {}

/** Form of the text block of a tool's answer. */
export type ReturnMode = Settings["returnMode"];

/** A wall around sandbox processes beside Deno's permissions. */
export type Isolation = Settings["isolation"];

/**
 * The settings that always have a value.
 *
 * @internal
 */
export interface Defaults extends Pick<Settings, KeysWithDefault<Rows>> {}

/** Values of the settings that neither a flag, a variable nor a file gives. */
export const DEFAULTS: Defaults = Object.fromEntries(
  toRows().map(([key, { kind, spec }]): unknown[] => [
    key,
    spec.default ?? kind.none,
  ]).filter(([, value]) => value !== undefined),
);

/** The settings that a process is told. */
export type SettingsFor<P extends Told> = Pick<Settings, KeysTold<Rows, P>>;

/** Picks the settings that a process is told, as the rows say. */
export function settingsFor<P extends Told>(
  process: P,
  settings: Settings,
): SettingsFor<P> {
  const values = new Map<string, unknown>(Object.entries(settings));
  return Object.fromEntries(
    toRows().filter(([key, { spec }]) =>
      values.has(key) && spec.goesTo?.includes(process)
    ).map(([key]): unknown[] => [key, values.get(key)]),
  );
}

/** The rows of the settings, with the names of these. */
export function toRows(): [string, Option][] {
  return Object.entries<Option>(SETTINGS);
}
