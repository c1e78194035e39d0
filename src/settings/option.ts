import type { CredentialKind, Kind, SecretKind } from "./kind.ts";

/** Commands, in the order of `--help`: the words behind each, and what it does. */
export const COMMAND_LINES = {
  stdio: ["[folder...]", "serve MCP over stdin and stdout, with folders"],
  "streamable-http": ["", "serve MCP over HTTP, and a page to try it"],
  "streamable-http-stateless": ["", "the same, without sessions of MCP"],
  example: ["", "install --deps, and use them as a client does"],
  install: ["", "install --deps, show their versions and folder"],
  lock: ["[file]", "write a lock file of what install would install"],
  bundle: ["<folder>", "write a folder that serves without a network"],
  run: ["[file] [args...]", "run a file, - for stdin, or --code, once"],
  repl: ["", "open a Python prompt in a sandbox"],
  pipe: ["", "serve the libraries: lines of JSON on stdin"],
  servers: ["<action> [words...]", "show the MCP servers that code may call"],
  components: ["<action> [words...]", "list, inspect or call components"],
  wrap: ["<command> [args...]", "run an MCP server of stdio inside walls"],
  policy: ["<action> <file>", "check a policy, and explain it"],
  doctor: ["", "check whether a server would work here"],
  cache: ["<action> [words...]", "look into the cache, or empty it"],
  help: ["[topic]", "show the options of a command, or of all of them"],
} satisfies Record<string, [words: string, help: string]>;

export type CommandName = keyof typeof COMMAND_LINES;
export const COMMANDS = Object.keys(COMMAND_LINES) as CommandName[];
type Commands = readonly CommandName[];

/** Commands that serve MCP over HTTP. */
export const OVER_HTTP = [
  "streamable-http",
  "streamable-http-stateless",
] as const satisfies Commands;
/** Commands that serve programs, or say how they would be served. */
export const SERVING: Commands = [
  "stdio",
  ...OVER_HTTP,
  "example",
  "pipe",
  "doctor",
  "bundle",
];
/** Commands that run Python, or say how it would run. */
export const RUNNING: Commands = except(
  ...["install", "lock", "servers", "components", "wrap", "policy"] as const,
  "cache",
);
export const INSTALLING: Commands = except(
  ...["servers", "components", "wrap", "policy", "cache"] as const,
);
/** Commands that use downstream MCP servers. */
export const CODE_MODE: Commands = ["stdio", ...OVER_HTTP, "servers", "doctor"];
export const EVERY: Commands = except();

/** A process that gets settings; `http` is a server that clients call over HTTP. */
export type Told = "server" | "http" | "sandbox";

export interface OptionSpec<V> {
  group: string;
  help: string;
  /** The value of an option that is not given; the kind's own if absent. */
  default?: V;
  /** The default in words, of an option that may stay without a value. */
  usually?: string;
  /** The default in words, of a setting that the command line computes. */
  computed?: string;
  /** The processes that get the value; none if absent. */
  goesTo?: readonly Told[];
  /** The commands that use it; those that run Python if absent. */
  commands?: Commands;
  /** Whether `--help` shows it, and not only `--help all`. */
  isCommon?: true;
  /** Where it may be given; everywhere if absent. */
  givenBy?: readonly ("flag" | "variable" | "file")[];
  /** Variables that count before its own. */
  variables?: readonly string[];
}

export interface Option<
  K extends Kind<unknown> = Kind<unknown>,
  S extends OptionSpec<unknown> = OptionSpec<unknown>,
> {
  /** All flags, as in the help: `-c, --code <code>`. */
  flags: string;
  /** The first long flag: `--code`. */
  flag: string;
  /** Keys in a file of options. */
  names: readonly string[];
  /** The variables that mirror it; the first that is set counts. */
  variables: readonly string[];
  /** The text that the flag stands for if it takes no value. */
  preset?: "0" | "1";
  commands: Commands;
  kind: K;
  spec: S;
}

export type ValueOf<K> = K extends Kind<infer V> ? V : never;

/** Credentials go to no process, and secrets to none by its arguments. */
type Walls<K> = K extends CredentialKind<unknown> ? { goesTo?: never }
  : K extends SecretKind<unknown> ? { goesTo?: readonly "server"[] }
  : unknown;

/**
 * Gives a maker of the options of a group. The name of an option is that of its
 * first long flag, `--no-` left out; the variable is `MCP_RUN_PYTHON_` and that
 * name.
 */
export function optionsOf<const G extends string>(
  group: G,
  usual: Commands = RUNNING,
  usually: OptionSpec<unknown>["givenBy"] = ["flag", "variable", "file"],
) {
  return <
    K extends Kind<unknown>,
    const S extends Omit<OptionSpec<ValueOf<K>>, "group">,
  >(flags: string, kind: K, own: S & Walls<K>): Option<
    K,
    S & { group: G }
  > => {
    const { commands = usual, givenBy = usually, variables = [] } = own;
    const long = [...flags.matchAll(/--[\w-]+/g)].map(String);
    const [flag = ""] = long;
    const names = long.map((one) => one.replace(/^--(no-)?/, ""));
    const [name = ""] = names;
    const variable = name.toUpperCase().replaceAll("-", "_");
    return {
      flags,
      flag,
      kind,
      spec: { ...own, group },
      commands,
      names: givenBy.includes("file") ? names : [],
      variables: givenBy.includes("variable")
        ? [...variables, `MCP_RUN_PYTHON_${variable}`]
        : [],
      ...(flags.includes("<")
        ? {}
        : { preset: flag.startsWith("--no-") ? "0" : "1" }),
    };
  };
}

type Rows = Readonly<Record<string, Option>>;
type Values<R extends Rows> = { [K in keyof R]: ValueOf<R[K]["kind"]> };

/** @internal */
export type KeysWith<R extends Rows, Facts> = {
  [K in keyof R]: R[K] extends Facts ? K : never;
}[keyof R];

export type KeysWithDefault<R extends Rows> =
  | KeysWith<R, { spec: { default: unknown } }>
  | KeysWith<R, { kind: { none: unknown } }>;

export type KeysTold<R extends Rows, P extends Told> = {
  [K in keyof R]: P extends ToldOf<R[K]["spec"]> ? K : never;
}[keyof R];
type ToldOf<S> = S extends { goesTo: readonly (infer P)[] } ? P : never;

/** @internal */
export type SettingsOf<R extends Rows> =
  & Pick<Values<R>, AlwaysThere<R>>
  & Partial<Omit<Values<R>, AlwaysThere<R>>>;
type AlwaysThere<R extends Rows> =
  | KeysWithDefault<R>
  | KeysWith<R, { spec: { computed: string } }>;

/**
 * These commands without `bundle`: for what only the machine that serves knows,
 * such as paths and secrets.
 */
export function whereItServes(commands: Commands): Commands {
  return commands.filter((name) => name !== "bundle");
}

/** Commands that read settings, but for these. */
function except(...names: CommandName[]): Commands {
  return COMMANDS.filter((name) => ![...names, "help"].includes(name));
}
