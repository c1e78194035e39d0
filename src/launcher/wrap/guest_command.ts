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
  if (word.startsWith("npm:")) return toPackage(word, args);
  if (word.startsWith("jsr:") || /^https?:/.test(word)) throw isRemote(word);
  if (word.endsWith(".wasm")) return { kind: "wasm", path: word, args };
  if (SCRIPT.test(word)) return { kind: "script", path: word, args };
  switch (basename(word).toLowerCase().replace(/\.(exe|cmd)$/, "")) {
    case "npx":
    case "bunx":
      return ofRunner(word, args);
    case "npm":
      return args[0] === "exec" || args[0] === "x"
        ? ofRunner("npm exec", args.slice(1))
        : { kind: "native", program: word, args };
    case "pnpm":
    case "yarn":
      return args[0] === "dlx"
        ? ofRunner(`${word} dlx`, args.slice(1))
        : { kind: "native", program: word, args };
    case "node":
    case "bun":
      return ofInterpreter(word, args, () => false);
    case "deno":
      return ofInterpreter(
        "deno run",
        args[0] === "run" ? args.slice(1) : args,
        (flag) => OF_PERMISSIONS.test(flag),
      );
    default:
      return { kind: "native", program: word, args };
  }
}

const SCRIPT = /\.[cm]?[jt]sx?$/;

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

function ofInterpreter(
  program: string,
  words: string[],
  isLeftOut: (flag: string) => boolean,
): GuestCommand {
  const [target, ...args] = words.slice(
    words.findIndex((word) => !isLeftOut(word)),
  );
  if (target === undefined || isLeftOut(target)) {
    throw usageError(
      `Cannot wrap ${program} without its file, as in: wrap -- ${program} server.js.`,
    );
  }
  if (target.startsWith("-")) {
    throw usageError(
      `Cannot wrap ${program} with ${target}: only a file and its arguments can be wrapped, as in: wrap -- ${program} server.js.`,
    );
  }
  if (target.startsWith("npm:")) return toPackage(target, args);
  if (target.startsWith("jsr:") || /^https?:/.test(target)) {
    throw isRemote(target);
  }
  return { kind: "script", path: target, args };
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

function isRemote(text: string): Error {
  return usageError(
    `Cannot wrap "${text}": only packages of npm and files of this machine can be wrapped. Download the server, and name its file.`,
  );
}
