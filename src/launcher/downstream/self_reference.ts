import { posix, win32 } from "node:path";
import { fileURLToPath } from "node:url";
import type {
  HttpEntry,
  ServerEntry,
  StdioEntry,
} from "../../protocol/downstream.ts";

/** This program, as an entry could name it. */
export interface OwnProgram {
  /** The path of its `cli.ts`. */
  cli: string;
  /** The address of its own server; absent over stdio. */
  listens?: { host: string; port: number; names?: readonly string[] };
}

export const OWN_CLI: string = fileURLToPath(
  new URL("../../../cli.ts", import.meta.url),
);

/**
 * Whether a server is this very program, which would start itself without an
 * end: by its name, from any registry or image, by its file, or by its address.
 */
export function isOwnServer(
  entry: ServerEntry,
  program: OwnProgram,
  place: { os: string; cwd: string },
): boolean {
  return entry.transport === "http"
    ? isOwnAddress(entry, program)
    : startsOwn(entry, program, place);
}

function startsOwn(
  { command, args, cwd }: StdioEntry,
  { cli }: OwnProgram,
  place: { os: string; cwd: string },
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
  if (/^([.~]|[a-z]:[\\/]|[\\/])/i.test(name)) return isProgram(name);
  return /^((npm|jsr):)?(@mcp-run-python\/server|([\w.:-]+\/)*mcp[-_]run[-_]python)([@:=<>~![].*)?$/i
    .test(name);
}

/** The path of a command or a file, as a package installs it. */
function isProgram(path: string): boolean {
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

const THIS_MACHINE = /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/;

function isOwnAddress({ url }: HttpEntry, { listens }: OwnProgram): boolean {
  const { hostname, port, protocol } = new URL(url);
  if (!listens) return false;
  const host = listens.host.includes(":")
    ? `[${listens.host}]`
    : listens.host.toLowerCase();
  // A proxy answers for these names, at a port of its own.
  if (listens.names?.includes(hostname)) return true;
  const isSameHost = hostname === host ||
    THIS_MACHINE.test(hostname) && THIS_MACHINE.test(host);
  const usual = protocol === "https:" ? 443 : 80;
  return isSameHost && Number(port || usual) === listens.port;
}
