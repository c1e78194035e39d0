import { posix, resolve, win32 } from "node:path";
import { fileURLToPath } from "node:url";
import { maybe, UserError } from "../../../errors.ts";
import {
  BASE_VARIABLES,
  type ServerEntry,
  type StdioEntry,
} from "../../../protocol/downstream.ts";
import { CHILD_FOLDER } from "../../spawn.ts";
import { DOWNSTREAM } from "../../variables.ts";
import { toStdio } from "../client_formats/entry.ts";
import type { Written } from "../client_formats/judge.ts";
import { resolveCommand } from "../resolve_command.ts";
import { isProgram, type System, type TakenPath } from "../system.ts";

interface Place {
  os: string;
  cwd: string;
}

export const STDIO: Written = {
  types: ["stdio", "local"],
  read: ({ command, ...raw }, { fill, place }) =>
    command === undefined
      ? undefined
      : toStdio({ ...raw, command }, fill, place),
};

/** A server that is started as a process, as the launcher treats it. */
export function ofStdio(entry: ServerEntry & StdioEntry) {
  const { command, args, env, cwd } = entry;
  return {
    shown: () => command,
    starts: () => ({
      ...{ command, args },
      ...(cwd === undefined ? {} : { cwd }),
      variables: Object.keys(env).sort(),
    }),
    cwd,
    identity: [command, args, cwd ?? null, Object.keys(env).sort()],
    secrets: { kind: "variables", values: env } as const,
    isOwn: (program: { cli: string }, place: Place) =>
      startsOwn(entry, program, place),
    takes: (system: System) => pathsOf(entry, system),
    withoutFolders: (
      isLeftOut: (folder: string) => boolean,
      system: System,
    ) => withoutFolders(entry, isLeftOut, system),
    place: () => toProgram(entry),
  };
}

/**
 * The paths that it may run: its program, its folder, and whatever its arguments and
 * variables could name, of any ending.
 */
function pathsOf(entry: StdioEntry, system: System): TakenPath[] {
  const { command, args } = entry;
  const { dirname, isAbsolute, resolve, sep } = rulesOf(system);
  const cwd = resolve(system.cwd, entry.cwd ?? ".");
  const program = resolveCommand(
    command,
    { env: envOf(entry, system), cwd },
    system,
  );
  const env = { ...placesIn(system, entry.env.HOME), ...entry.env };
  const named = (what: string, text: string, mayHold = true): TakenPath[] =>
    toPaths(text, env, system)
      .map((path) => {
        // Of `\\folder` Windows takes the drive, and a dot at the end of a name for
        // nothing; `..` goes up before it follows a link.
        if (system.os === "windows") {
          return resolve(cwd, path).replace(/[. ]+(?=\\|$)/g, "");
        }
        return isAbsolute(path) ? path : cwd + sep + path;
      })
      .flatMap((path) => {
        const isFile = mayHold && system.stamp(path) !== undefined &&
          system.listFolder(path) === undefined;
        // It may take modules from there.
        const files = isFile ? [path, system.realPath(path)] : [];
        return [
          { what, path, mayHold },
          ...files.map((file) => ({
            ...{ what: `the folder of ${what}`, path: dirname(file), mayHold },
          })),
        ];
      });
  const variables = Object.entries(env)
    .filter(([name]) => name.toUpperCase() !== "PATH");
  return [
    ...named("its program", program ?? command),
    { what: "its folder", path: cwd, mayHold: true },
    ...args.flatMap((word) =>
      named(`its argument ${JSON.stringify(word)}`, word)
    ),
    ...variables.flatMap(([name, value]) =>
      named(`its variable ${name}`, value, LOADING.test(name))
    ),
  ];
}

/** Where programs take packages, modules and settings from, below the home folder. */
const AT_HOME = {
  ...{ XDG_CACHE_HOME: ".cache", UV_CACHE_DIR: ".cache/uv" },
  ...{ DENO_DIR: ".cache/deno", BUN_INSTALL: ".bun" },
  ...{ NPM_CONFIG_CACHE: ".npm", NPM_CONFIG_USERCONFIG: ".npmrc" },
  ...{ XDG_CONFIG_HOME: ".config", GIT_CONFIG_GLOBAL: ".gitconfig" },
  ...{ XDG_DATA_HOME: ".local/share", PYTHONUSERBASE: ".local/lib" },
};

/**
 * Variables of this program that a server gets, most of which name folders; and what
 * stands for those that are not set.
 */
function placesIn(
  { env, os, home: own = "" }: System,
  home = own,
): Record<string, string> {
  const given = BASE_VARIABLES.flatMap((name) => {
    const value = env[name];
    return value ? [[name, value]] : [];
  });
  const atHome = Object.entries(AT_HOME)
    .map(([name, path]) => [name, posix.join(home, path)]);
  const usual = os === "windows"
    ? {}
    : { TMPDIR: "/tmp", ...home && Object.fromEntries(atHome) };
  return { ...usual, ...Object.fromEntries(given) };
}

/** Each part of a text that could be a path, without what stands before it. */
function toPaths(
  text: string,
  env: Readonly<Record<string, string>>,
  { os, home = "" }: System,
): string[] {
  const isWindows = os === "windows";
  const between = isWindows
    ? /[\s"'`=,;|&()<>[\]{}]+/
    : /[\s"'`=,;|&()<>[\]{}:]+/;
  const filled = text.replace(
    /\$\{?(\w+)\}?|%(\w+)%/g,
    (whole, name, other) => env[name ?? other] ?? whole,
  );
  const forms = [
    filled,
    maybe(() => decodeURI(filled)) ?? filled,
    ...isWindows ? [] : [filled.replace(/\\(.)/g, "$1")],
  ];
  const parts = [...new Set(forms)]
    .flatMap((form) => [
      ...[form, ...form.split(between)],
      // The folder before a pattern of a shell.
      ...[...form.matchAll(PATTERN)].map(([folder]) => folder),
    ]);
  return [...new Set(parts)].filter((part) => part !== "")
    // As in -I/folder and file:///folder.
    .flatMap((part) => [part, part.slice(Math.max(part.search(/[/\\~.]/), 0))])
    .map((part) => maybePath(part.replace(/^~(?=$|[/\\])/, home)));
}

const PATTERN = /[^\s"'`*?[{]*[/\\](?=[^\s"'`*?[{/\\]*[*?[{])/g;

/** Variables that name folders of modules, or options of an interpreter. */
const LOADING =
  /^(PYTHON|NODE_|NPM_|LD_|DYLD_|DENO_|BUN_|BASH_ENV$|ENV$|PERL|RUBY|GEM_|CLASSPATH$|JAVA_|UV_|PIP_|GIT_)/i;

/** The entry whose PATH has not the folders that are left out. */
function withoutFolders(
  entry: ServerEntry & StdioEntry,
  isLeftOut: (folder: string) => boolean,
  system: System,
): ServerEntry {
  const { delimiter, resolve } = rulesOf(system);
  const [name, path] = Object.entries(envOf(entry, system))
    .find(([name]) => name.toUpperCase() === "PATH") ?? ["PATH", ""];
  const parts = path.split(delimiter);
  const left = parts.filter((part) =>
    part === "" || !isLeftOut(resolve(system.cwd, entry.cwd ?? ".", part))
  );
  if (left.length === parts.length) return entry;
  return { ...entry, env: { ...entry.env, [name]: left.join(delimiter) } };
}

function envOf({ env }: StdioEntry, system: System): Record<string, string> {
  const { PATH, Path, PATHEXT } = system.env;
  const own = { PATH: PATH ?? Path ?? "", ...PATHEXT && { PATHEXT } };
  return { ...own, ...env };
}

const rulesOf = ({ os }: Place) => os === "windows" ? win32 : posix;

/** @throws {UserError} If the program cannot be started. */
function toProgram(entry: ServerEntry & StdioEntry) {
  const { name, command } = entry;
  const env = { ...DOWNSTREAM, ...entry.env };
  const cwd = resolve(entry.cwd ?? CHILD_FOLDER);
  const machine = { os: Deno.build.os, isProgram };
  const program = resolveCommand(command, { env, cwd }, machine);
  if (program === undefined) {
    throw new UserError(
      `Cannot start the server "${name}": there is no program "${command}" ${
        /[/\\]/.test(command) ? `in ${cwd}` : "on the PATH"
      }. Install it, or write its whole path as the command.`,
    );
  }
  if (program.includes(",")) {
    throw new UserError(
      `Cannot start the server "${name}": the path of its program, "${program}", has a comma, which Deno takes for the end of a path. Move the program, or link to it from a path without a comma.`,
    );
  }
  if (entry.cwd !== undefined && !maybe(() => Deno.statSync(cwd).isDirectory)) {
    throw new UserError(
      `Cannot start the server "${name}": its working folder, "${cwd}", is not a folder. Make it, or change the entry's cwd.`,
    );
  }
  return {
    entry: { ...entry, command: program, env, cwd },
    places: { serverProgram: [program] },
  };
}

/** Whether it is this program, by its name, from any registry or image, or by its file. */
function startsOwn(
  { command, args, cwd }: StdioEntry,
  { cli }: { cli: string },
  place: Place,
): boolean {
  const { resolve } = place.os === "windows" ? win32 : posix;
  if (isOwnName(command)) return true;
  // A shell has a whole command in a word.
  const words = [command, ...args].flatMap((word) => [
    word,
    ...word.split(/[\s"']+/),
  ]);
  const isOwnFile = (word: string) =>
    resolve(cwd ?? place.cwd, maybePath(word)) === cli;
  if (words.some(isOwnFile)) return true;
  return RUNNERS.test(baseOf(command)) && words.some(isOwnPackage);
}

/** Programs that run a package, an image, a module or a command of another name. */
const RUNNERS =
  /^(npx|npm|pnpm|pnpx|yarn|bunx?|node|deno|uvx?|pipx|python[\d.]*|py|docker|podman|nerdctl|cmd|(ba|z|da|fi|pw|power)?sh|pwsh|powershell|env|wsl|sudo|nix|mise|op|dotenv|mcp-proxy|supergateway)$/i;

/**
 * A package or image, as in `mcp-run-python@latest`, `mcp-run-python[x]==1.0`,
 * `--from=mcp-run-python`, `npm:mcp-run-python` and
 * `ghcr.io/ada/mcp-run-python:1`; a folder of this name is another server's own.
 */
function isOwnPackage(word: string): boolean {
  const name = word.replace(/^--?[\w-]+=/, "");
  if (/^([.~]|[a-z]:[\\/]|[\\/])/i.test(name)) return isInstalled(name);
  return /^((npm|jsr):)?(@mcp-run-python\/server|([\w.:-]+\/)*mcp[-_]run[-_]python)([@:=<>~![].*)?$/i
    .test(name);
}

/** The path of a command or a file, as a package installs it. */
function isInstalled(path: string): boolean {
  return /[\\/](bin|scripts|\.bin)[\\/][^\\/]+$/i.test(path) &&
      isOwnName(path) ||
    /[\\/](node_modules|site-packages)[\\/]mcp[-_]run[-_]python[\\/]/.test(
      path,
    );
}

function isOwnName(command: string): boolean {
  return /^mcp[-_]run[-_]python([@=<>~!].*)?$/i.test(baseOf(command));
}

/** The name of a program, without folders and the endings of Windows. */
function baseOf(command: string): string {
  return (command.split(/[\\/]/).at(-1) ?? "")
    .replace(/\.(exe|cmd|bat|ps1|py|js)$/i, "");
}

function maybePath(word: string): string {
  if (!word.startsWith("file:")) return word;
  return maybe(() => fileURLToPath(word)) ?? word;
}
