// What a command line starts, as `wrap` can put walls around it.
import { basename } from "node:path";
import { usageError } from "../../errors.ts";

/** A server to run, with its arguments. */
export type GuestCommand =
  /** A package of npm, with or without version and program: `@scope/name@1/program`. */
  | { kind: "npm"; name: string; args: string[] }
  /** A file of JavaScript or TypeScript. */
  | { kind: "script"; path: string; args: string[] }
  /** A file of WebAssembly. */
  | { kind: "wasm"; path: string; args: string[] }
  | { kind: "native"; program: string; args: string[] };

/**
 * Reads the command line of a server as configurations of clients have it, such as
 * `npx -y @modelcontextprotocol/server-memory`.
 *
 * @throws {UserError} If it starts JavaScript in a way that cannot be had here.
 */
export function toGuestCommand([word = "", ...args]: string[]): GuestCommand {
  const known = maybeFetched(word, args);
  if (known) return known;
  if (word.endsWith(".wasm")) return { kind: "wasm", path: word, args };
  if (SCRIPT.test(word)) return { kind: "script", path: word, args };
  const name = basename(word).toLowerCase().replace(/\.(exe|cmd)$/, "");
  const [first = "", ...rest] = args;
  if (name === "npx" || name === "bunx") return ofRunner(word, args);
  if (RUNNERS.includes(`${name} ${first}`)) {
    return ofRunner(`${name} ${first}`, rest);
  }
  if (name === "node" || name === "bun") return ofInterpreter(word, args);
  if (name === "deno") {
    const words = first === "run" ? rest : args;
    const start = words.findIndex((flag) => !OF_PERMISSIONS.test(flag));
    return ofInterpreter("deno run", start < 0 ? [] : words.slice(start));
  }
  return { kind: "native", program: word, args };
}

const SCRIPT = /\.[cm]?[jt]sx?$/;

const RUNNERS = ["npm exec", "npm x", "pnpm dlx", "yarn dlx"];

/** Flags of Deno that the policy replaces, and those that change nothing here. */
const OF_PERMISSIONS =
  /^(-A|-[RWNESI](=.*)?|--(allow|deny)-.*|--no-prompt|--quiet|-q)$/;

/** `npx` and its like: a package, behind flags that name it or ask no question. */
function ofRunner(runner: string, words: string[]): GuestCommand {
  const rest = [...words];
  let named: string | undefined;
  for (let word = rest[0]; word?.startsWith("-"); word = rest[0]) {
    rest.shift();
    if (word === "--") break;
    const [, inline] = /^--package=(.*)$/.exec(word) ?? [];
    if (inline !== undefined) named = inline;
    else if (word === "-p" || word === "--package") named = rest.shift();
    else if (!/^(-y|--yes|-q|--quiet|--silent|--bun)$/.test(word)) {
      throw usageError(
        `Cannot wrap ${runner} with ${word}: name the package alone, as in: wrap -- ${runner} ${
          named ?? "package"
        }.`,
      );
    }
  }
  const [first, ...args] = rest;
  if (first === undefined) {
    throw usageError(
      `Cannot wrap ${runner} without a package, as in: wrap -- npx -y @modelcontextprotocol/server-memory.`,
    );
  }
  return named === undefined
    ? toPackage(first, args)
    : toPackage(`${named}/${first}`, args);
}

function ofInterpreter(program: string, words: string[]): GuestCommand {
  const [target, ...args] = words;
  if (target === undefined) {
    throw usageError(
      `Cannot wrap ${program} without its file, as in: wrap -- ${program} server.js.`,
    );
  }
  if (target.startsWith("-")) {
    throw usageError(
      `Cannot wrap ${program} with ${target}: only a file and its arguments can be wrapped, as in: wrap -- ${program} server.js.`,
    );
  }
  return maybeFetched(target, args) ?? { kind: "script", path: target, args };
}

/** A package that is named by its URL; other URLs are refused. */
function maybeFetched(word: string, args: string[]): GuestCommand | undefined {
  if (word.startsWith("npm:")) return toPackage(word, args);
  if (!/^(jsr|https?):/.test(word)) return undefined;
  throw usageError(
    `Cannot wrap "${word}": only packages of npm and files of this machine can be wrapped. Download the server, and name its file.`,
  );
}

function toPackage(text: string, args: string[]): GuestCommand {
  const name = text.replace(/^npm:\/?/, "");
  if (
    !/^(@[\w.~-]+\/)?[\w~][\w.~-]*(@[\w.^~<>=*+-]+)?(\/[\w.-]+)?$/.test(name)
  ) {
    throw usageError(
      `Cannot wrap "${text}" as it is not a package of npm: write a name such as @modelcontextprotocol/server-memory@2026.8.31.`,
    );
  }
  return { kind: "npm", name, args };
}
