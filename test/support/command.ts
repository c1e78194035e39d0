import { fileURLToPath } from "node:url";

/** The command's entry. */
export const CLI: string = fileURLToPath(
  import.meta.resolve("../../cli.ts"),
);

/** The same with the toy engine. */
export const TOY_CLI: string = fileURLToPath(
  import.meta.resolve("./toy_engine/cli.ts"),
);

/**
 * Cache of the tests: kept between runs, as making Python's snapshot takes
 * seconds. Installs into it are atomic, so that test files may share it.
 * `scripts/test_unlinked.ts` names another.
 */
export const CACHE: string = Deno.env.get("TEST_CACHE") ??
  fileURLToPath(import.meta.resolve("../../.cache/test"));

/**
 * Most tests make a call at a time: the default keeps a sandbox ready for each
 * core, which costs CPU time and is not used. A busy machine may take its time.
 */
export const POOL = [
  ...["--timeout", "120", "+pool=1", "+installWaitSeconds=3600"],
];

/** The command, with other constants than a user has. */
const CLI_WITH_CONSTANTS: string = fileURLToPath(
  import.meta.resolve("./cli.ts"),
);

/**
 * Has the command of these words take the constants among them: `+maxFiles=100`
 * is one of `src/settings.ts`.
 */
export function withConstants(words: string[]): string[] {
  return words.some((word) => word.startsWith("+"))
    ? words.map((word) => word === CLI ? CLI_WITH_CONSTANTS : word)
    : words;
}

/** Code mode without servers; what its runs keep is not in the user's own folder. */
export const CODE_MODE: string[] = [
  ...["--code-mode", "--state-dir"],
  fileURLToPath(import.meta.resolve("../../.cache/test-state")),
];

/** The words that start the command, to which options and its name are added. */
export const COMMAND_LINE: string[] = wordsOf(CLI);

/** The same of another entry. */
export function wordsOf(cli: string): string[] {
  const words = [Deno.execPath(), "run", "-A", cli, "--cache-dir", CACHE];
  return withConstants([...words, ...POOL]);
}

/** The same by variables, for programs that start the command themselves. */
export const VARIABLES = {
  MCP_RUN_PYTHON_CACHE: CACHE,
};

/**
 * Packages of the real index, in the environment that README's command installs:
 * another one takes 15 s of CPU time.
 */
export const REAL_DEPS = "pydantic,rich";

/** For `flags`: all that the command needs, except the network. */
export const WITHOUT_NET: string[] = ["read", "write", "env", "run", "sys"]
  .map((kind) => `--allow-${kind}`);

/** How a command ended. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** What goes with a command. */
export interface CommandOptions {
  env?: Record<string, string>;
  stdin?: string | Uint8Array;
  /** Instead of all permissions. */
  flags?: string[];
  cwd?: string;
  /** Another entry than the command's. */
  cli?: string;
  /** Whether it finds its cache itself. */
  findsCache?: boolean;
}

/** Runs the real command to its end. */
export async function command(
  args: string[],
  { env = {}, stdin = "", flags = ["-A"], cwd, cli = CLI, findsCache = false }:
    CommandOptions = {},
): Promise<Ended> {
  const child = new Deno.Command(Deno.execPath(), {
    args: withConstants([
      ...["run", ...flags, cli],
      ...(findsCache ? [] : ["--cache-dir", CACHE]),
      ...args,
    ]),
    env: { NO_COLOR: "1", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    ...(cwd ? { cwd } : {}),
  }).spawn();
  const writer = child.stdin.getWriter();
  const bytes = typeof stdin === "string"
    ? new TextEncoder().encode(stdin)
    : stdin;
  await writer.write(new Uint8Array(bytes)).catch(() => {});
  await writer.close().catch(() => {});
  return toEnded(await child.output());
}

/** Reads how any program ended. */
export function toEnded({ code, stdout, stderr }: Deno.CommandOutput): Ended {
  const decoder = new TextDecoder();
  return {
    code,
    stdout: decoder.decode(stdout),
    stderr: decoder.decode(stderr),
  };
}
