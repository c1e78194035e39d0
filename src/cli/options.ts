import { DEFAULTS } from "../settings.ts";
import * as kinds from "./kinds.ts";

/** An option of the command, with the variables that mirror it. */
export interface CliOption<T> extends kinds.Kind<T> {
  flags: string;
  /** What the flag stands for if it takes no value. */
  preset?: "0" | "1";
  group: string;
  help: string;
  default?: string | number;
  /** The first one that is set counts. */
  variables: readonly string[];
}

/** Every option, in the order of `--help`. */
export const OPTIONS = {
  dependencies: {
    flags: "--deps, --dependencies <list>",
    ...kinds.requirements,
    group: "Packages:",
    help: "names, or URLs or paths of wheels; repeatable",
    variables: ["MCP_RUN_PYTHON_DEPS"],
  },
  depsFile: {
    flags: "--deps-file <file>",
    ...kinds.path,
    group: "Packages:",
    help: "a requirements.txt with more; repeatable",
    variables: ["MCP_RUN_PYTHON_DEPS_FILE"],
  },
  constraints: {
    flags: "--constraints <list>",
    ...kinds.requirements,
    group: "Packages:",
    help: "bounds for what is wanted anyway, such as numpy<3",
    variables: ["MCP_RUN_PYTHON_CONSTRAINTS"],
  },
  locked: {
    flags: "--locked <file>",
    ...kinds.path,
    group: "Packages:",
    help: "install exactly what this lock file says",
    variables: ["MCP_RUN_PYTHON_LOCKED"],
  },
  allowInstall: {
    flags: "--allow-install <names>",
    ...kinds.packageNames,
    group: "Packages:",
    help: "packages a call may have installed; * is any",
    variables: ["MCP_RUN_PYTHON_ALLOW_INSTALL"],
  },
  findLinks: {
    flags: "--find-links <dir>",
    ...kinds.path,
    group: "Sources, in their order:",
    help: "folder of wheels; repeatable",
    variables: ["MCP_RUN_PYTHON_FIND_LINKS"],
  },
  dist: {
    flags: "--dist <url|dir>",
    ...kinds.path,
    group: "Sources, in their order:",
    help: "Pyodide distribution, or a copy of it",
    default: "its own host",
    variables: ["MCP_RUN_PYTHON_DIST"],
  },
  extraIndexUrl: {
    flags: "--extra-index-url <url>",
    ...kinds.webAddresses,
    group: "Sources, in their order:",
    help: "package index to ask before the next; repeatable",
    variables: ["MCP_RUN_PYTHON_EXTRA_INDEX_URL"],
  },
  indexUrl: {
    flags: "--index-url <url>",
    ...kinds.webAddress,
    group: "Sources, in their order:",
    help: "package index to use",
    default: "PyPI",
    variables: ["MCP_RUN_PYTHON_INDEX_URL"],
  },
  timeout: {
    flags: "--timeout <seconds>",
    ...kinds.seconds,
    group: "Limits:",
    help: "time of a run that names none",
    default: DEFAULTS.timeoutSeconds,
    variables: ["MCP_RUN_PYTHON_TIMEOUT"],
  },
  maxTimeout: {
    flags: "--max-timeout <seconds>",
    ...kinds.seconds,
    group: "Limits:",
    help: "longest time a call may ask for",
    default: DEFAULTS.maxTimeoutSeconds,
    variables: ["MCP_RUN_PYTHON_MAX_TIMEOUT"],
  },
  memory: {
    flags: "--memory <MiB>",
    ...kinds.mebibytes,
    group: "Limits:",
    help: "memory Python may take",
    default: DEFAULTS.memoryMiB,
    variables: ["MCP_RUN_PYTHON_MEMORY"],
  },
  pool: {
    flags: "--pool <count>",
    ...kinds.poolSize,
    group: "Limits:",
    help: "sandboxes kept ready while calls come",
    default: "by cores and memory",
    variables: ["MCP_RUN_PYTHON_POOL"],
  },
  maxConcurrency: {
    flags: "--max-concurrency <count>",
    ...kinds.poolSize,
    group: "Limits:",
    help: "runs at a time",
    default: "by cores and memory",
    variables: ["MCP_RUN_PYTHON_MAX_CONCURRENCY"],
  },
  maxQueue: {
    flags: "--max-queue <count>",
    ...kinds.count,
    group: "Limits:",
    help: "calls that may wait for their turn",
    default: DEFAULTS.maxQueue,
    variables: ["MCP_RUN_PYTHON_MAX_QUEUE"],
  },
  maxOutput: {
    flags: "--max-output <chars>",
    ...kinds.count,
    group: "Limits:",
    help: "output and result to keep",
    default: DEFAULTS.maxOutput,
    variables: ["MCP_RUN_PYTHON_MAX_OUTPUT"],
  },
  maxCode: {
    flags: "--max-code <bytes>",
    ...kinds.count,
    group: "Limits:",
    help: "code a call may send",
    default: DEFAULTS.maxCode,
    variables: ["MCP_RUN_PYTHON_MAX_CODE"],
  },
  returnMode: {
    flags: "--return-mode <form>",
    ...kinds.returnMode,
    group: "Results:",
    help: "text of results, xml or json",
    default: DEFAULTS.returnMode,
    variables: ["MCP_RUN_PYTHON_RETURN_MODE"],
  },
  structured: {
    flags: "--no-structured",
    preset: "0",
    ...kinds.toggle,
    group: "Results:",
    help: "leave structuredContent out of results",
    variables: ["MCP_RUN_PYTHON_STRUCTURED"],
  },
  cacheDir: {
    flags: "--cache-dir <dir>",
    ...kinds.path,
    group: "Cache and network:",
    help: "where packages are kept",
    default: "node_modules/.cache in a project, else the user's cache",
    variables: ["MCP_RUN_PYTHON_CACHE", "MCP_RUN_PYTHON_CACHE_DIR"],
  },
  offline: {
    flags: "--offline",
    preset: "1",
    ...kinds.toggle,
    group: "Cache and network:",
    help: "touch no network, use what the cache holds",
    variables: ["MCP_RUN_PYTHON_OFFLINE"],
  },
  code: {
    flags: "-c, --code <code>",
    ...kinds.code,
    group: "Other:",
    help: "Python for the run command, in place of a file",
    variables: [],
  },
  dryRun: {
    flags: "--dry-run",
    preset: "1",
    ...kinds.toggle,
    group: "Other:",
    help: "only say what install would do",
    variables: [],
  },
  isolation: {
    flags: "--isolation <wall>",
    ...kinds.isolation,
    group: "Other:",
    help: "second wall around Python: none, bwrap (Linux) or auto",
    default: DEFAULTS.isolation,
    variables: ["MCP_RUN_PYTHON_ISOLATION"],
  },
  pyodide: {
    flags: "--pyodide <dir>",
    ...kinds.path,
    group: "Other:",
    help: "folder of another Pyodide to use whole",
    variables: ["MCP_RUN_PYTHON_PYODIDE"],
  },
  verbose: {
    flags: "--verbose",
    preset: "1",
    ...kinds.toggle,
    group: "Other:",
    help: "log more",
    variables: ["MCP_RUN_PYTHON_VERBOSE"],
  },
} satisfies Record<string, CliOption<unknown>>;
