import { ENGINE } from "./engines/index.ts";
import { MOST_OUTPUT, USUAL_OUTPUT } from "./protocol/bounds.ts";
import * as kinds from "./settings/kinds.ts";
import {
  CODE_MODE,
  EVERY,
  INSTALLING,
  type KeysTold,
  type KeysWith,
  type KeysWithDefault,
  type Option,
  optionsOf,
  OVER_HTTP,
  RUNNING,
  SERVING,
  type SettingsOf,
  type Told,
  whereItServes,
} from "./settings/option.ts";
import { MIB } from "./units.ts";

/** Tokens of callers of HTTP; not an option, as every user of the machine can read flags. */
export const TOKEN_VARIABLE = "MCP_RUN_PYTHON_TOKEN";
/** Names the Deno that the libraries start. */
export const DENO_VARIABLE = "MCP_RUN_PYTHON_DENO";

// Makers of the rows of a group, with the commands that use most of them.
const wanted = optionsOf("Packages", INSTALLING);
const source = optionsOf("Sources, in their order", INSTALLING);
const limit = optionsOf("Limits");
const result = optionsOf("Results", SERVING);
const sessions = optionsOf("Sessions", SERVING);
const files = optionsOf("Files");
const cache = optionsOf("Cache and network", INSTALLING);
const grant = optionsOf("Grants");
const codeMode = optionsOf("Code mode", CODE_MODE);
const logs = optionsOf("Logs");
const other = optionsOf("Other", INSTALLING);
const http = optionsOf("HTTP", [...OVER_HTTP, "doctor"]);
const debug = optionsOf("Debugging", [
  "stdio",
  ...OVER_HTTP,
  "example",
  "run",
  "repl",
]);

/**
 * A row for each setting; paths are absolute. Flag, variable, key in a file,
 * help, docs/configuration.md, default, type and the processes that are told the
 * value come from the row.
 */
export const SETTINGS = {
  /**
   * Requirements (PEP 508). A wheel of this machine is a `file:` URL; behind
   * one may stand ` --hash=sha256:…`, as in a requirements file.
   */
  dependencies: wanted("--deps, --dependencies <list>", kinds.requirements, {
    help: "names, or URLs or paths of wheels; repeatable",
    isCommon: true,
  }),
  constraints: wanted("--constraints <list>", kinds.constraints, {
    help: "bounds for packages wanted anyway, such as numpy<3",
  }),
  locked: wanted("--locked <file>", kinds.lockFile, {
    help: "install exactly the packages of this lock file",
    isCommon: true,
  }),
  allowInstall: wanted("--allow-install <names>", kinds.packageNames, {
    help: "packages a call may have installed; * is any",
    goesTo: ["server"],
    commands: whereItServes(SERVING),
    isCommon: true,
  }),
  findLinks: source("--find-links <dir>", kinds.folders, {
    help: "folder of wheels; repeatable",
    isCommon: true,
  }),
  dist: source("--dist <url|dir>", kinds.webAddressOrFolder, {
    help: ENGINE.options.dist,
    usually: "its own host",
  }),
  extraIndexUrls: source("--extra-index-url <url>", kinds.webAddresses, {
    help: "package index to ask before the next; repeatable",
  }),
  indexUrl: source("--index-url <url>", kinds.webAddress, {
    help: "package index to use",
    usually: "PyPI",
    isCommon: true,
  }),
  timeoutSeconds: limit("--timeout <seconds>", kinds.seconds, {
    help: "time of a run that names none; of repl, a day",
    default: 60,
    goesTo: ["server"],
    isCommon: true,
    variables: ["MCP_BRIDGE_TIMEOUT"],
  }),
  maxTimeoutSeconds: limit("--max-timeout <seconds>", kinds.seconds, {
    help: "longest time a call may ask for",
    default: 600,
    goesTo: ["server"],
    commands: SERVING,
    variables: ["MCP_BRIDGE_MAX_TIMEOUT"],
  }),
  memoryMiB: limit("--memory <MiB>", kinds.integer(128, 4096, "MiB"), {
    help: "memory Python may take",
    default: 1024,
    goesTo: ["server", "sandbox"],
    isCommon: true,
    variables: ["MCP_BRIDGE_MEMORY"],
  }),
  cpuSeconds: limit("--cpu-time <seconds>", kinds.seconds, {
    help: "CPU time of a run; sleeping takes none",
    usually: "none",
    goesTo: ["sandbox"],
  }),
  maxFilesMiB: limit("--max-files-size <MiB>", kinds.integer(1, 4096, "MiB"), {
    help: "size of the files that a run makes",
    default: 256,
    goesTo: ["server", "sandbox"],
  }),
  maxStoredSessionsMiB: limit(
    "--max-stored-sessions <MiB>",
    kinds.integer(1, 1_048_576, "MiB"),
    {
      help: "size of all stored sessions; the least recently used go",
      default: 4096,
      commands: SERVING,
    },
  ),
  maxConcurrency: limit("--max-concurrency <count>", kinds.integer(1, 1000), {
    help: "runs at a time",
    usually: "by cores and memory",
    commands: SERVING,
    isCommon: true,
  }),
  /**
   * An answer has output and value twice, as text and as structure, and each
   * character as up to seven bytes: at a message of more than 10 MiB the official
   * client closes the connection. A program that runs code by the library gets
   * all that is kept, if it does not ask for less.
   */
  maxOutput: limit(
    "--max-output <chars>",
    kinds.integer(1, MOST_OUTPUT, "characters"),
    {
      help: "output and result to show",
      usually: String(USUAL_OUTPUT),
      goesTo: ["server"],
      commands: SERVING,
      isCommon: true,
    },
  ),
  hostCallTimeoutSeconds: limit(
    "--call-timeout <seconds>",
    kinds.seconds,
    {
      help:
        "time for the answer of a call of a tool or of the host, which is not the run's own",
      default: 60,
      goesTo: ["server"],
    },
  ),
  returnMode: result("--return-mode <form>", kinds.oneOf("xml", "json"), {
    help: "text of results, xml or json; of run, with json, one object",
    default: "xml",
    goesTo: ["server"],
    commands: [...SERVING, "run"],
  }),
  output: result("--output <form>", kinds.oneOf("compact", "toon", "json"), {
    help: "text of run_python's results: compact, toon or json",
    default: "compact",
    goesTo: ["server"],
    commands: CODE_MODE,
    variables: ["MCP_BRIDGE_OUTPUT_MODE"],
  }),
  structured: result("--no-structured", kinds.toggle, {
    help: "leave structuredContent out of results",
    default: true,
    goesTo: ["server"],
  }),
  /** Some clients count errors as attempts, and give up: docs/clients.md. */
  errorResults: result("--error-results", kinds.toggle, {
    help: "return failed calls as results like others, without isError",
    goesTo: ["server"],
  }),
  sessionStore: sessions("--session-store <dir>", kinds.path, {
    help: "private folder to save sessions in, for the next start",
    usually: "none",
    commands: whereItServes(SERVING),
    isCommon: true,
  }),
  sessions: sessions("--no-sessions", kinds.toggle, {
    help: "offer no sessions: every call starts from nothing",
    default: true,
    goesTo: ["server"],
  }),
  stateful: sessions("--stateful", kinds.toggle, {
    help: "keep the state from call to call, without a handle",
    goesTo: ["server"],
    isCommon: true,
  }),
  sessionIdleSeconds: sessions("--session-idle <seconds>", kinds.seconds, {
    help: "time without a call after which a session ends, or is saved",
    default: 600,
    goesTo: ["server"],
  }),
  maxSessions: sessions("--max-sessions <count>", kinds.integer(1, 1000), {
    help: "sessions in memory; the least recently used one goes",
    default: 16,
    goesTo: ["server"],
  }),
  maxSessionsMiB: sessions(
    "--max-sessions-memory <MiB>",
    kinds.integer(64, 1 << 24, "MiB"),
    {
      help: "memory of all sessions; the least recently used one goes",
      usually: "half of this machine's",
    },
  ),
  lostSessions: sessions(
    "--lost-sessions <how>",
    kinds.oneOf("fresh", "refuse"),
    {
      help:
        "a handle whose state is lost, once that was told: fresh starts anew",
      default: "fresh",
      goesTo: ["server"],
    },
  ),
  host: http("--host <address>", kinds.listenHost, {
    help: "address to listen on; beyond this machine, tokens are required",
    default: "127.0.0.1",
    isCommon: true,
    goesTo: ["http"],
  }),
  port: http("--port <number>", kinds.integer(0, 65535), {
    help: "port to listen on; 0 picks a free one",
    default: 3001,
    isCommon: true,
  }),
  allowedHosts: http("--allowed-host <names>", kinds.hostNames, {
    help: "names by which clients may call this server; repeatable",
    usually: "those of this machine",
    isCommon: true,
  }),
  allowedOrigins: http("--allowed-origin <origins>", kinds.origins, {
    help: "origins of web pages that may call this server; repeatable",
    usually: "the server's own page",
    goesTo: ["http"],
  }),
  tokenFile: http("--token-file <file>", kinds.path, {
    help: "file of bearer tokens, a line each: name, a space, token",
    usually: `none; ${TOKEN_VARIABLE} is a token, too`,
    isCommon: true,
  }),
  callerHeader: http("--caller-header <name>", kinds.headerName, {
    help: "header in which a proxy with a token names the caller",
    usually: "none: a token is a caller",
    goesTo: ["http"],
  }),
  oauthIssuer: http("--oauth-issuer <url>", kinds.exactUrl, {
    help: "issuer of OAuth 2.1 access tokens (JWT) to accept",
    usually: "none",
  }),
  oauthAudience: http("--oauth-audience <url>", kinds.exactUrl, {
    help: "this server's public URL, which tokens must name as audience",
    usually: "the address of MCP here",
  }),
  oauthScope: http("--oauth-scope <scopes>", kinds.words, {
    help: "scopes that access tokens must have; repeatable",
    usually: "none",
  }),
  tlsCert: http("--tls-cert <file>", kinds.path, {
    help: "certificate chain (PEM) to serve HTTPS with",
    usually: "none",
  }),
  tlsKey: http("--tls-key <file>", kinds.path, {
    help: "private key (PEM) of the certificate",
    usually: "none",
  }),
  web: http("--no-web", kinds.toggle, {
    help: "serve no page at /",
    default: true,
    goesTo: ["http"],
  }),
  bodyTimeoutSeconds: http("--body-timeout <seconds>", kinds.seconds, {
    help: "time for a client to send a whole request",
    default: 60,
    goesTo: ["http"],
  }),
  maxClientRate: http(
    "--max-client-rate <count>",
    kinds.integer(1, 1_000_000),
    {
      help: "requests a client may send in a second",
      default: 1000,
      goesTo: ["http"],
    },
  ),
  shutdownWaitSeconds: http("--shutdown-wait <seconds>", kinds.seconds, {
    help: "time for running calls to end when the server is told to end",
    default: 10,
    goesTo: ["http"],
  }),
  untilEof: http("--until-eof", kinds.toggle, {
    help: "end when standard input ends, with the program that holds it",
  }),
  audit: http("--audit <file>", kinds.path, {
    help: "file to append a JSON line to for each run",
    usually: "none",
    commands: ["stdio", ...OVER_HTTP],
  }),
  auditCode: http("--audit-code", kinds.toggle, {
    help: "write the code of each run to the audit file, too",
    goesTo: ["server"],
    commands: ["stdio", ...OVER_HTTP],
  }),
  mounts: files("--mount <host[:guest][:ro|rw]>", kinds.mounts, {
    help:
      "folder that Python sees; read-only, at /mnt/<name>, if not said; repeatable",
    goesTo: ["sandbox"],
    commands: whereItServes(RUNNING),
    isCommon: true,
  }),
  fileTools: files("--file-tools", kinds.toggle, {
    help: "offer write_file, read_file, list_files; implies --stateful",
    goesTo: ["server"],
    commands: SERVING,
    isCommon: true,
  }),
  cacheDir: cache("--cache-dir <dir>", kinds.path, {
    help: "folder of packages",
    computed:
      "node_modules/.cache of a project that has node_modules, else the user's cache",
    commands: EVERY,
    isCommon: true,
    variables: ["MCP_RUN_PYTHON_CACHE"],
  }),
  offline: cache("--offline", kinds.toggle, {
    help: "touch no network, use the cache alone",
    isCommon: true,
  }),
  /** Hosts that code may reach; see `maybeHost()`. */
  allowNet: grant("--allow-net <hosts>", kinds.hosts, {
    help: "hosts that code may reach, such as example.com:443; repeatable",
    usually: "none",
    goesTo: ["server", "sandbox"],
    isCommon: true,
  }),
  variables: grant("--env <NAME=VALUE>", kinds.variables, {
    help:
      "a variable of os.environ; NAME alone takes this program's; repeatable",
    goesTo: ["server"],
    commands: whereItServes(RUNNING),
    isCommon: true,
  }),
  codeMode: codeMode("--code-mode", kinds.toggle, {
    help: "offer run_python alone, whose code can call other MCP servers",
    goesTo: ["server"],
    isCommon: true,
  }),
  mcpConfig: codeMode("--mcp-config <file|dir>", kinds.paths, {
    help:
      "MCP servers that code may call, as clients configure them: a file, or a folder of *.json; implies --code-mode; repeatable",
    isCommon: true,
  }),
  discover: codeMode("--discover", kinds.toggle, {
    help:
      "the servers in the files of Claude, Cursor, VS Code and others, too; implies --code-mode",
    isCommon: true,
  }),
  serversAlways: codeMode("--servers-always <names>", kinds.serverNames, {
    help: "servers that each call may use without naming them; repeatable",
    usually: "none",
    goesTo: ["server"],
  }),
  allowTool: codeMode("--allow-tool <patterns>", kinds.toolPatterns, {
    help: "tools that code may call, such as time.* or git.git_log; repeatable",
    usually: "all",
    goesTo: ["server"],
  }),
  denyTool: codeMode("--deny-tool <patterns>", kinds.toolPatterns, {
    help: "tools that code may not call, whatever is allowed; repeatable",
    usually: "none",
    goesTo: ["server"],
  }),
  approve: codeMode(
    "--approve <which>",
    kinds.oneOf("destructive", "all", "none"),
    {
      help:
        "tools that the user is asked about: destructive, all or none of them",
      default: "destructive",
      goesTo: ["server"],
    },
  ),
  allowSelfServer: codeMode("--allow-self-server", kinds.toggle, {
    help: "also use a configured server that is this program",
    variables: ["MCP_BRIDGE_ALLOW_SELF_SERVER"],
  }),
  stateDir: codeMode("--state-dir <dir>", kinds.path, {
    help: "folder of saved functions, memory and artifacts",
    usually: "the user's folder for state",
    variables: ["MCP_BRIDGE_STATE_DIR"],
  }),
  /** See `toLogLevel()`. */
  logLevel: logs(
    "--log-level <level>",
    kinds.oneOf("error", "warning", "info", "debug"),
    {
      help: "least severe to log; from info on, each run has a line",
      default: "warning",
      goesTo: ["server", "sandbox"],
      commands: INSTALLING,
      isCommon: true,
      variables: ["MCP_BRIDGE_LOG_LEVEL"],
    },
  ),
  logFormat: logs("--log-format <form>", kinds.oneOf("text", "json"), {
    help: "lines of logs, as text or json",
    default: "text",
    goesTo: ["server"],
  }),
  logFile: logs("--log-file <file>", kinds.path, {
    help: "file to append logs to, from info on if no level is given",
    usually: "stderr",
    commands: whereItServes(RUNNING),
    isCommon: true,
  }),
  logCode: logs("--log-code", kinds.toggle, {
    help: "log the code of each run, too",
    goesTo: ["server"],
  }),
  verbose: logs("--verbose", kinds.toggle, {
    help: "the same as --log-level debug",
    commands: EVERY,
    isCommon: true,
  }),
  /** Second wall around sandbox processes; `auto` takes one that works. */
  isolation: other("--isolation <wall>", kinds.oneOf("none", "auto", "bwrap"), {
    help: "second wall around Python: none, bwrap (Linux) or auto",
    default: "none",
    isCommon: true,
  }),
  runtimeFolder: other(ENGINE.options.runtime.flags, kinds.folder, {
    help: ENGINE.options.runtime.help,
  }),
  inspect: debug("--inspect <process>", kinds.oneOf("server", "sandbox"), {
    help: "open this process to debuggers of this machine: server or sandbox",
    usually: "none",
  }),
};

/** Options that are read into settings, or that only the command line has. */
export const OTHER_OPTIONS = {
  depsFile: wanted("--deps-file <file>", kinds.paths, {
    help: "a requirements.txt with more; repeatable",
    isCommon: true,
  }),
  config: other("--config <file>", kinds.path, {
    help: "a TOML file with options; or a pyproject.toml",
    commands: EVERY,
    isCommon: true,
    givenBy: ["flag", "variable"],
  }),
  code: other("-c, --code <code>", kinds.code, {
    help: "Python for the run command, in place of a file",
    commands: ["run"],
    isCommon: true,
    givenBy: ["flag"],
  }),
  out: files("--out <dir>", kinds.path, {
    help: "folder for the files and pictures of run and repl",
    commands: ["run", "repl"],
    isCommon: true,
    givenBy: ["flag"],
  }),
  history: other("--no-history", kinds.toggle, {
    help: "keep no history of the lines that are typed in repl",
    commands: ["repl"],
  }),
  printResult: result("--print-result", kinds.toggle, {
    help: "print the value of the last expression, too",
    commands: ["run"],
    isCommon: true,
    givenBy: ["flag"],
  }),
  dryRun: other("--dry-run", kinds.toggle, {
    help: "only print the plan of install",
    commands: ["install"],
    givenBy: ["flag"],
  }),
  olderThan: other("--older-than <age>", kinds.age, {
    help: "age from which cache prune removes an environment, such as 12h",
    usually: "30d",
    commands: ["cache"],
    givenBy: ["flag"],
  }),
  json: other("--json", kinds.toggle, {
    help: "print what doctor or servers list finds as one JSON object",
    commands: ["servers", "doctor"],
    givenBy: ["flag"],
  }),
};

export const OPTIONS: readonly Option[] = Object.values({
  ...SETTINGS,
  ...OTHER_OPTIONS,
});

// What processes are told beside settings, and what no user has to choose: each
// value has its reason beside it. Tests choose others: test/support/cli.ts.

const OF_SERVER = {
  /** More than an archive of sources has; each takes memory beside its bytes. */
  maxFiles: 10_000,
  /** As many as one run may make by default. */
  maxStoredFilesMiB: 256,
  /** A call ends before the 60 s after which the official clients give it up. */
  installWaitSeconds: 50,
  /** Far more than a model writes. */
  maxCode: MIB,
  /** A model looks at no more. */
  maxImages: 10,
  /** All pictures of a run are one message, of 10 MiB at most. */
  maxImageMiB: 2,
  /** A loop over a list fits; a loop without an end is found. */
  maxHostCalls: 1000,
  /** Larger data are a file's. */
  maxHostCallSize: MIB,
  /** A run waits for its calls that many times as long as for one of them. */
  callWaits: 10,
  /** A Python that needs longer does not get ready at all. */
  startTimeoutSeconds: 60,
};

const OF_HTTP = {
  /** A proxy can serve it at another path. */
  httpPath: "/mcp",
  /** A head is a packet or two. */
  headerTimeoutSeconds: 10,
  /** A proxy can bound them further. */
  maxHttpConnections: 1000,
  /** More than a client has calls that could run. */
  maxClientRequests: 200,
  /** Each client of 2025 has one. */
  maxMcpSessions: 1000,
  /** Base64 of a dozen megabytes; a mount has more. */
  maxBodyMiB: 16,
};

const OF_SANDBOX = { maxFiles: OF_SERVER.maxFiles };

export const CONSTANTS = {
  ...OF_SERVER,
  ...OF_HTTP,
  /** Sandboxes that are ready while calls come: undefined for one a run at a time. */
  pool: undefined as number | undefined,
  /** A client behind more of them does better to try again. */
  maxQueue: 100,
};

/** @internal */
type Constants = typeof CONSTANTS;

/** @internal */
type Rows = typeof SETTINGS;

/** All that a user can choose, after flags, variables, file and defaults. */
export interface Settings extends SettingsOf<Rows>, Constants {
  /**
   * A cache that is read beside `cacheDir`, if that is not the user's choice.
   *
   * @internal
   */
  otherCacheDir?: string | undefined;
  /**
   * Whether `stateDir` is not the user's choice.
   *
   * @internal
   */
  isUsualStateDir?: boolean | undefined;
}

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
    | "runtimeFolder"
  > {}

/**
 * Limits of runs; docs/limits.md has a line for each, with the outcome of a run
 * that reaches it.
 */
export interface Limits
  extends
    Pick<Settings, KeysWith<Rows, { spec: { group: "Limits" } }>>,
    Pick<Settings, "maxFiles"> {}

/** Form of the text block of a tool's answer. */
export type ReturnMode = Settings["returnMode"];

/** Severity of a line of the logs. */
export type LogLevel = Settings["logLevel"];

/** A wall around sandbox processes beside Deno's permissions. */
export type Isolation = Settings["isolation"];

/** @internal */
export interface Defaults
  extends Pick<Settings, KeysWithDefault<Rows>>, Constants {}

/** Values of the settings that neither a flag, a variable nor a file gives. */
export const DEFAULTS: Defaults = Object.fromEntries([
  ...toRows()
    .map(([key, { kind, spec }]): unknown[] => [key, spec.default ?? kind.none])
    .filter(([, value]) => value !== undefined),
  ...Object.entries(CONSTANTS),
]);

/** The level that is given, or that follows from the other options of logs. */
export function toLogLevel(
  { logLevel, verbose, logFile }: Partial<Settings>,
): Pick<Settings, "logLevel" | "verbose"> {
  const usual = logFile === undefined ? DEFAULTS.logLevel : "info";
  const level = logLevel ?? (verbose ? "debug" : usual);
  return { logLevel: level, verbose: level === "debug" };
}

export type SettingsFor<P extends Told> =
  & Pick<Settings, KeysTold<Rows, P>>
  & typeof CONSTANTS_OF[P];

const CONSTANTS_OF = { server: OF_SERVER, http: OF_HTTP, sandbox: OF_SANDBOX };

/** Picks the settings that a process is told. */
export function settingsFor<P extends Told>(
  process: P,
  settings: Settings,
): SettingsFor<P> {
  const values = new Map<string, unknown>(Object.entries(settings));
  const keys = toRows().filter(([, { spec }]) => spec.goesTo?.includes(process))
    .map(([key]) => key).concat(Object.keys(CONSTANTS_OF[process]));
  return Object.fromEntries(
    keys.filter((key) => values.has(key)).map((
      key,
    ): unknown[] => [key, values.get(key)]),
  );
}

export function toRows(): [string, Option][] {
  return Object.entries<Option>(SETTINGS);
}
