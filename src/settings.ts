import type { EngineRow } from "./engines/engine.ts";
import { ENGINE, ENGINES } from "./engines/index.ts";
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
const component = optionsOf("Components", [...CODE_MODE, "components"]);
const logs = optionsOf("Logs");
const other = optionsOf("Other", INSTALLING);
const http = optionsOf("HTTP", [...OVER_HTTP, "doctor"]);
/** A row that no flag gives, named as if there were one. */
const variable = optionsOf("Variables", [], ["variable"]);

/** The value of `--mcp-config` that stands for the files of other programs. */
export const DISCOVER = "discover";

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
    isCommon: true,
    help: "names, or URLs or paths of wheels; repeatable",
  }),
  constraints: wanted("--constraints <list>", kinds.constraints, {
    help: "bounds for packages, such as numpy<3; installs none by itself",
  }),
  locked: wanted("--locked <file>", kinds.lockFile, {
    help: "install exactly the packages of this lock file",
  }),
  allowInstall: wanted("--allow-install <names>", kinds.packageNames, {
    isCommon: true,
    help: "packages that a call may install; * is any",
    goesTo: ["server"],
    commands: whereItServes(SERVING),
  }),
  findLinks: source("--find-links <dir>", kinds.folders, {
    help: "folder of wheels; repeatable",
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
  }),
  timeoutSeconds: limit("--timeout <seconds>", kinds.seconds, {
    isCommon: true,
    help: "time of a run, unless it names its own; for repl, a day",
    default: 60,
    goesTo: ["server"],
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
    isCommon: true,
    help: "memory that Python may take",
    default: 1024,
    goesTo: ["server", "sandbox"],
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
  }),
  maxWaitSeconds: limit("--max-wait <seconds>", kinds.seconds, {
    help:
      "time that a call may wait before its code runs: for its turn, its session, packages",
    usually: "55 over HTTP, else none",
    goesTo: ["server"],
    commands: ["stdio", ...OVER_HTTP],
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
      help: "output and result of a run that a client gets",
      usually: String(USUAL_OUTPUT),
      goesTo: ["server"],
      commands: SERVING,
    },
  ),
  /** A page is text that clients may read at once: docs/pictures.md. */
  maxHtmlMiB: limit("--max-html <MiB>", kinds.integer(0, 16, "MiB"), {
    help: "size of an HTML page that a run shows, such as a chart; 0 is none",
    default: 5,
    goesTo: ["server"],
  }),
  hostCallTimeoutSeconds: limit(
    "--call-timeout <seconds>",
    kinds.seconds,
    {
      help:
        "time for the answer to a call of a tool or of the host; it is not the run's own time",
      default: 60,
      goesTo: ["server"],
    },
  ),
  /** Not all commands have all of them: see `toReturnMode()`. */
  returnMode: result(
    "--return-mode <form>",
    kinds.oneOf("xml", "json", "compact", "toon", "value"),
    {
      help:
        "text of results: xml or json; in code mode compact (its default), toon or json; for run also value, or json for one object",
      default: "xml",
      goesTo: ["server"],
      commands: [...SERVING, "run"],
      variables: ["MCP_BRIDGE_OUTPUT_MODE"],
    },
  ),
  /** Some clients hand a model this alone: docs/clients.md. `--no-structured` is none. */
  structured: result("--structured <form>", kinds.structured, {
    help:
      "values in structuredContent: full; fitted, which sums up those of more than 4,000 characters; none leaves it out",
    default: "fitted",
    goesTo: ["server"],
  }),
  /** Some clients count errors as attempts, and give up: docs/clients.md. */
  errorResults: result("--error-results", kinds.toggle, {
    help: "return failed calls as other results, without isError",
    goesTo: ["server"],
  }),
  longRuns: result("--long-runs", kinds.toggle, {
    help: "let calls name wait, and be answered while their code runs on",
    goesTo: ["server"],
    commands: ["stdio", ...OVER_HTTP],
  }),
  detachAfterSeconds: result("--detach-after <seconds>", kinds.seconds, {
    help:
      "time after which calls that name no wait are answered; implies --long-runs",
    usually: "none",
    goesTo: ["server"],
    commands: ["stdio", ...OVER_HTTP],
  }),
  keepResultsSeconds: result("--keep-results <seconds>", kinds.seconds, {
    help: "time for which the result of a long run can be read",
    default: 3600,
    goesTo: ["server"],
    commands: ["stdio", ...OVER_HTTP],
  }),
  sessionStore: sessions("--session-store <dir>", kinds.path, {
    help:
      "private folder to save sessions in, for the next start; cache keeps the environments of these",
    usually: "none",
    commands: [...whereItServes(SERVING), "cache"],
  }),
  sessions: sessions(
    "--sessions <which>",
    kinds.oneOf("none", "named", "strict", "always"),
    {
      help:
        "none; named: by a handle; strict: the same, but a handle whose state is lost stays refused; always: without a handle, too",
      usually: "named; always with file tools and in code mode",
    },
  ),
  sessionIdleSeconds: sessions("--session-idle <seconds>", kinds.seconds, {
    help: "time without a call after which a session ends, or is saved",
    default: 600,
    goesTo: ["server"],
  }),
  maxSessionsMiB: sessions(
    "--max-sessions-memory <MiB>",
    kinds.integer(128, 1 << 24, "MiB"),
    {
      help:
        "memory of all sessions in memory, of which each takes 72 MiB and what its code takes; the least recently used session goes",
      usually: "half of this machine's",
    },
  ),
  host: http("--host <address>", kinds.listenHost, {
    help: "address to listen on; beyond this machine, tokens are required",
    default: "127.0.0.1",
    goesTo: ["http"],
  }),
  port: http("--port <number>", kinds.integer(0, 65535), {
    help: "port to listen on; 0 picks a free one",
    default: 3001,
  }),
  allowedHosts: http("--allowed-host <names>", kinds.hostNames, {
    help: "host names of this server that clients may use; repeatable",
    usually: "those of this machine",
  }),
  allowedOrigins: http("--allowed-origin <origins>", kinds.origins, {
    help:
      "origins of web pages that may call this server; none also turns the page at / off; repeatable",
    usually: "the server's own page",
    goesTo: ["http"],
  }),
  tokenFile: http("--token-file <file>", kinds.path, {
    help: "file of bearer tokens, a line each: name, a space, token",
    usually: `none; ${TOKEN_VARIABLE} is a token, too`,
  }),
  callerHeader: http("--caller-header <name>", kinds.headerName, {
    help: "header in which a proxy with a token names the caller",
    usually: "none: a token is a caller",
    goesTo: ["http"],
  }),
  serverName: http("--server-name <name>", kinds.serverName, {
    help:
      "name of this server among several, at the start of what it alone can answer: ids of MCP sessions and addresses of files",
    usually: "none",
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
  maxClientRate: http(
    "--max-client-rate <count>",
    kinds.integer(1, 1_000_000),
    {
      help: "requests a client may send in a second",
      default: 1000,
      goesTo: ["http"],
    },
  ),
  drainWaitSeconds: http(
    "--drain-wait <seconds>",
    kinds.integer(0, 3600, "seconds"),
    {
      help:
        "time in which /readyz answers 503 and calls are still taken, when the server is told to end",
      default: 0,
      goesTo: ["http"],
    },
  ),
  shutdownWaitSeconds: http("--shutdown-wait <seconds>", kinds.seconds, {
    help: "time for running calls to end when the server is told to end",
    default: 10,
    goesTo: ["http"],
  }),
  audit: http("--audit <file>", kinds.path, {
    help: "file to append a JSON line to for each run",
    usually: "none",
    commands: ["stdio", ...OVER_HTTP],
  }),
  mounts: files("--mount <host[:guest][:ro|rw]>", kinds.mounts, {
    isCommon: true,
    help:
      "folder that Python sees; by default read-only, at /mnt/<name>; repeatable",
    goesTo: ["sandbox"],
    commands: whereItServes(RUNNING),
  }),
  fileTools: files("--file-tools", kinds.toggle, {
    help: "offer write_file, read_file, list_files; implies --sessions always",
    goesTo: ["server"],
    commands: SERVING,
  }),
  cacheDir: cache("--cache-dir <dir>", kinds.path, {
    help: "folder of packages",
    computed:
      "node_modules/.cache of a project that has node_modules, else the user's cache",
    commands: EVERY,
    variables: ["MCP_RUN_PYTHON_CACHE"],
  }),
  offline: cache("--offline", kinds.toggle, {
    help: "touch no network, use the cache alone",
  }),
  /** Hosts that code may reach; see `maybeHost()`. */
  allowNet: grant("--allow-net <hosts>", kinds.hosts, {
    isCommon: true,
    help: "hosts that code may reach, such as example.com:443; repeatable",
    usually: "none",
    goesTo: ["server", "sandbox"],
  }),
  variables: grant("--env <NAME=VALUE>", kinds.variables, {
    help:
      "a variable of os.environ; NAME alone takes this program's; repeatable",
    goesTo: ["server"],
    commands: whereItServes(RUNNING),
  }),
  /** Its grants are united with those of the other options; see `withPolicy()`. */
  policy: grant("--policy <file>", kinds.path, {
    help: "a policy (YAML) with grants, denials and limits: docs/policy.md",
    usually: "none",
    commands: [...whereItServes(RUNNING), "wrap"],
  }),
  codeMode: codeMode("--code-mode", kinds.toggle, {
    help: "offer run_python alone, whose code can call other MCP servers",
    goesTo: ["server"],
  }),
  mcpConfig: codeMode(
    "--mcp-config <file|dir|discover>",
    kinds.pathsOr(DISCOVER),
    {
      isCommon: true,
      help:
        "MCP servers that code may call, as clients configure them: a file, a folder of *.json, or discover for the files of Claude, Cursor, VS Code and others; implies --code-mode; repeatable",
    },
  ),
  allowTool: codeMode("--allow-tool <patterns>", kinds.toolPatterns, {
    help:
      "tools that code may call, such as time.* or git.git_log; !git.* forbids tools; repeatable",
    usually: "all",
    goesTo: ["server"],
  }),
  approve: codeMode(
    "--approve <which>",
    kinds.oneOf("destructive", "all", "none", "grants"),
    {
      help:
        "tools that the user is asked about: destructive, all or none of them; grants: the destructive ones, and what a component was denied",
      default: "destructive",
      goesTo: ["server"],
    },
  ),
  stateDir: codeMode("--state-dir <dir>", kinds.path, {
    help: "folder of saved functions, memory and artifacts",
    usually: "the user's folder for state",
    variables: ["MCP_BRIDGE_STATE_DIR"],
  }),
  components: component(
    "--wasm <[name=]file[#sha256:hash][@policy]>",
    kinds.components,
    {
      help:
        "a WebAssembly component whose functions are tools, and functions in Python; a policy says which files and hosts it may use; repeatable",
    },
  ),
  /** See `toLogLevel()`. */
  logLevel: logs(
    "--log-level <level>",
    kinds.oneOf("error", "warning", "info", "debug"),
    {
      help: "lowest level to log; from info on, each run has a line",
      default: "warning",
      goesTo: ["server", "sandbox"],
      commands: EVERY,
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
  }),
  logCode: logs("--log-code", kinds.toggle, {
    help: "log the code of each run, too, and write it to the audit file",
    goesTo: ["server"],
  }),
  /** Second wall around sandbox processes; `auto` takes one that works. */
  isolation: other("--isolation <wall>", kinds.oneOf("none", "auto", "bwrap"), {
    help:
      "second wall around Python, or a wrapped server: none, bwrap (Linux) or auto",
    default: "none",
    commands: [...RUNNING, "wrap"],
  }),
  /** What the default gives up: docs/security.md. */
  fresh: other("--fresh <when>", kinds.oneOf("caller", "always"), {
    help:
      "new interpreters: for each caller, to be rewound after each run; or always, for each run",
    default: "caller",
    goesTo: ["server"],
    commands: SERVING,
  }),
  runtimeFolder: other(ENGINE.options.runtime.flags, kinds.folder, {
    help: ENGINE.options.runtime.help,
  }),
};

/** Settings that have a variable and no option: for programs, and for work on this one. */
const VARIABLES = {
  untilEof: variable("--until-eof", kinds.toggle, {
    help: "end when standard input ends, with the program that holds it",
    commands: OVER_HTTP,
  }),
  allowSelfServer: variable("--allow-self-server", kinds.toggle, {
    help: "also use a configured server that is this program",
    commands: CODE_MODE,
    variables: ["MCP_BRIDGE_ALLOW_SELF_SERVER"],
  }),
  history: variable("--no-history", kinds.toggle, {
    help: "whether repl keeps the lines that are typed",
    commands: ["repl"],
    default: true,
  }),
  inspect: variable("--inspect", kinds.oneOf("server", "sandbox"), {
    help: "open this process to debuggers of this machine",
    commands: ["stdio", ...OVER_HTTP, "example", "run", "repl"],
  }),
};

/** Options that are read into settings, or that only the command line has. */
export const OTHER_OPTIONS = {
  /** Read into `engine` and `otherEngines`. */
  engine: other("--engine <names>", kinds.names, {
    help: `engines to serve, of ${
      ENGINES.map(({ profile }) => profile.name).join(", ")
    }; the first is that of packages, of sessions and of code that names none; repeatable`,
    usually: ENGINE.profile.name,
    // The example is one of packages.
    commands: RUNNING.filter((name) => name !== "example"),
  }),
  depsFile: wanted("--deps-file <file>", kinds.paths, {
    isCommon: true,
    help: "a requirements.txt with more; repeatable",
  }),
  config: other("--config <file>", kinds.path, {
    help: "a TOML file with options; or a pyproject.toml",
    commands: EVERY,
    givenBy: ["flag", "variable"],
  }),
  code: other("-c, --code <code>", kinds.code, {
    help: "Python for the run command, in place of a file",
    commands: ["run"],
    givenBy: ["flag"],
  }),
  out: files("--out <dir>", kinds.path, {
    help: "folder for the files, pictures and pages of run and repl",
    commands: ["run", "repl"],
    givenBy: ["flag"],
  }),
  dryRun: other("--dry-run", kinds.toggle, {
    help: "only print the plan of install",
    commands: ["install"],
    givenBy: ["flag"],
  }),
  learn: other("--learn", kinds.toggle, {
    help:
      "at its end, print the policy that the refusals of a wrapped server ask for",
    commands: ["wrap"],
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

/** All variables that count, but for tokens and Deno. */
export const VARIABLE_NAMES: readonly string[] = [
  ...OPTIONS,
  ...Object.values(VARIABLES),
].flatMap(({ variables }) => variables);

// Constants that processes learn with the settings, and that no user has to
// choose, each with its reason. Tests choose others: test/support/cli.ts.

const OF_SERVER = {
  /** More than an archive of sources has; each takes memory beside its bytes. */
  maxFiles: 10_000,
  /** As many as one run may make by default. */
  maxStoredFilesMiB: 256,
  /** A call ends before the 60 s after which the official clients give it up. */
  installWaitSeconds: 50,
  /** Far more than a model writes. */
  maxCode: MIB,
  /** A model looks at no more; as many pages beside them. */
  maxImages: 10,
  /** All pictures of a run are one message, of 10 MiB at most. */
  maxImageMiB: 2,
  /** A loop over a list fits; a loop without an end is found. */
  maxHostCalls: 1000,
  /** Larger data are a file's. */
  maxHostCallSize: MIB,
  /** A run waits for its calls that many times as long as for one of them. */
  callWaits: 10,
  /** A shorter call is answered at once, as by a client without tasks. */
  taskAfterSeconds: 3,
  /** A Python that needs longer does not get ready at all. */
  startTimeoutSeconds: 60,
  /**
   * To save sessions, once the client is gone or a signal asks for the end: Docker
   * kills after as much, and most of them are saved already.
   */
  saveAllSeconds: 10,
};

const OF_HTTP = {
  /** A proxy can serve it at another path. */
  httpPath: "/mcp",
  /** A head is a packet or two. */
  headerTimeoutSeconds: 10,
  /** 16 MiB in it are 2.2 Mbit/s; a proxy takes in what is slower. */
  bodyTimeoutSeconds: 60,
  /** A proxy can bound them further. */
  maxHttpConnections: 1000,
  /** More than there are calls that could run, and than a client of two. */
  maxRequests: 400,
  /** Each client of 2025 has one. */
  maxMcpSessions: 1000,
  /** Base64 of a dozen megabytes; a mount has more. */
  maxBodyMiB: 16,
};

const OF_SANDBOX = {
  maxFiles: OF_SERVER.maxFiles,
  /**
   * CPU time of a session's tasks between two of its runs, if `--cpu-time` sets none:
   * enough to answer and to wait. They have no slot, and so the runs of others are slow.
   */
  backgroundCpuSeconds: 10,
};

export const CONSTANTS = {
  ...OF_SERVER,
  ...OF_HTTP,
  ...OF_SANDBOX,
  /** Sandboxes that are ready while calls come: undefined for one a run at a time. */
  pool: undefined as number | undefined,
  /** A client behind more of them does better to try again. */
  maxQueue: 100,
  /** Sessions in memory: undefined for as many as their memory allows. */
  maxSessions: undefined as number | undefined,
};

/** @internal */
type Constants = typeof CONSTANTS;

/** @internal */
type Rows = typeof SETTINGS & typeof VARIABLES;

/** All that a user can choose, after flags, variables, file and defaults. */
export interface Settings extends SettingsOf<Rows>, Constants {
  /**
   * A cache that is read beside `cacheDir`, if that is not the user's choice.
   *
   * @internal
   */
  otherCacheDir?: string | undefined;
  /**
   * Of code that names none; it alone has an environment and sessions.
   *
   * @internal
   */
  engine: EngineRow;
  /**
   * Those that are served beside it.
   *
   * @internal
   */
  otherEngines: readonly EngineRow[];
  /**
   * Hosts of a policy that stay closed though `allowNet` opens them.
   *
   * @internal
   */
  deniedHosts?: readonly string[];
  /** Whether the servers of other programs count, too. */
  discover?: boolean;
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
    | "engine"
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
  extends
    Pick<Settings, KeysWithDefault<Rows>>,
    Constants,
    Pick<Settings, "engine" | "otherEngines"> {}

/** Values of the settings that neither a flag, a variable nor a file gives. */
export const DEFAULTS: Defaults = Object.fromEntries([
  ...toRows()
    .map(([key, { kind, spec }]): unknown[] => [key, spec.default ?? kind.none])
    .filter(([, value]) => value !== undefined),
  ...Object.entries({ ...CONSTANTS, engine: ENGINE, otherEngines: [] }),
]);

/** The level that is given, or that follows from a file of logs. */
export function toLogLevel(
  { logLevel, logFile }: Partial<Settings>,
): LogLevel {
  return logLevel ?? (logFile === undefined ? DEFAULTS.logLevel : "info");
}

export type SettingsFor<P extends Told> =
  & Pick<Settings, KeysTold<Rows, P>>
  & typeof CONSTANTS_OF[P];

const CONSTANTS_OF = { server: OF_SERVER, http: OF_HTTP, sandbox: OF_SANDBOX };

/** Picks the settings of a process. */
export function settingsFor<P extends Told>(
  process: P,
  settings: Settings,
): SettingsFor<P> {
  const keys = toRows().filter(([, { spec }]) => spec.goesTo?.includes(process))
    .map(([key]) => key).concat(Object.keys(CONSTANTS_OF[process]));
  const told: unknown[][] = Object.entries(settings)
    .filter(([key]) => keys.includes(key));
  return Object.fromEntries(told);
}

export function toRows(): [string, Option][] {
  return Object.entries<Option>({ ...SETTINGS, ...VARIABLES });
}
