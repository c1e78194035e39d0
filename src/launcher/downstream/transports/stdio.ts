import { posix, resolve, win32 } from "node:path";
import { fileURLToPath } from "node:url";
import { maybe, UserError } from "../../../errors.ts";
import type { ServerEntry, StdioEntry } from "../../../protocol/downstream.ts";
import { CHILD_FOLDER } from "../../spawn.ts";
import { DOWNSTREAM } from "../../variables.ts";
import { resolveCommand } from "../resolve_command.ts";
import type { System, TakenPath } from "../system.ts";

interface Place {
  os: string;
  cwd: string;
}

/** A server that is started as a process, as the launcher treats it. */
export function ofStdio(entry: ServerEntry & StdioEntry) {
  const { command, args, env, cwd } = entry;
  return {
    shown: () => command,
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
  const { resolve } = rulesOf(system);
  const cwd = resolve(system.cwd, entry.cwd ?? ".");
  const program = resolveCommand(command, { env: envOf(entry, system), cwd }, {
    os: system.os,
    isProgram: (path) => system.stamp(path) !== undefined,
  });
  const named = (what: string, text: string, mayHold = true): TakenPath[] =>
    toPaths(text, system).map((path) => ({
      ...{ what, path: resolve(cwd, path), mayHold },
    }));
  const variables = Object.entries({ ...homesOf(system), ...entry.env })
    .filter(([name]) => name.toUpperCase() !== "PATH");
  return [
    {
      what: "its program",
      path: resolve(cwd, program ?? command),
      mayHold: false,
    },
    { what: "its folder", path: cwd, mayHold: true },
    ...args.flatMap((word) =>
      named(`its argument ${JSON.stringify(word)}`, word)
    ),
    ...variables.flatMap(([name, value]) =>
      named(`its variable ${name}`, value, LOADING.test(name))
    ),
  ];
}

/** Folders in which programs keep their settings. */
function homesOf({ env }: System): Record<string, string> {
  const names = ["HOME", "XDG_CONFIG_HOME", "USERPROFILE", "APPDATA"];
  return Object.fromEntries(
    names.flatMap((name) => env[name] ? [[name, env[name]]] : []),
  );
}

/** Each part of a text that could be a path, without what stands before it. */
function toPaths(text: string, { os, home = "" }: System): string[] {
  const between = os === "windows" ? /[\s"'`=,;|&()<>]+/ : /[\s"'`=,;|&()<>:]+/;
  return [text, ...text.split(between)].filter((part) => part !== "")
    // As in -I/folder and file:///folder.
    .flatMap((part) => [part, part.slice(Math.max(part.search(/[/\\~.]/), 0))])
    .map((part) => maybePath(part.replace(/^~(?=$|[/\\])/, home)));
}

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

function isProgram(path: string): boolean {
  const info = maybe(() => Deno.statSync(path));
  if (!info?.isFile) return false;
  return Deno.build.os === "windows" || ((info.mode ?? 0) & 0o111) !== 0;
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
  try {
    return word.startsWith("file:") ? fileURLToPath(word) : word;
  } catch {
    return word;
  }
}
