import { hideCredentials } from "../../requirements/hide_credentials.ts";
import { EXIT, reasonOf, UserError } from "../../errors.ts";
import { toFolder } from "../folders.ts";
import { maybeWebAddress, webAddress } from "../../settings/kinds.ts";
import { type CliContext, type Env, pathRules } from "../context.ts";
import { type Origin, toConstraint, toRequirement } from "./requirement.ts";

/** What files of requirements ask for, in their order. */
export interface FromFiles {
  requirements: string[];
  constraints: string[];
  findLinks: string[];
  /** The last that was named. */
  indexUrl?: string;
  extraIndexUrls: string[];
}

/** Deeper is a mistake, such as a folder that links to itself. */
const MAX_DEPTH = 50;

/** A file, and whether it bounds versions or asks for packages. */
interface File {
  path: string;
  holds: "requirements" | "constraints";
}

/**
 * Reads requirements files as pip does, with the files that they name.
 *
 * @param files Paths, relative to the current folder.
 * @throws {UserError} If one cannot be read, or asks for what is not to be had.
 */
export function readRequirementsFiles(
  files: readonly string[],
  env: Env,
  context: CliContext,
): FromFiles {
  const { dirname, join, resolve } = pathRules(context);
  const found: FromFiles = {
    requirements: [],
    constraints: [],
    findLinks: [],
    extraIndexUrls: [],
  };
  const done = new Set<string>();
  for (const file of files) {
    const path = resolve(context.cwd, file);
    readFile({ path, holds: "requirements" }, [], "");
  }
  return found;

  function readFile(file: File, above: string[], where: string): void {
    const { path, holds } = file;
    const chain = [...above, path];
    if (above.includes(path)) {
      throw refused(path, where, `it leads to itself: ${chain.join(" > ")}`);
    }
    if (chain.length > MAX_DEPTH) {
      throw refused(path, where, `it is ${MAX_DEPTH} files deep`);
    }
    // What was read once is there; reading it again can take for ever.
    if (done.size === done.add(`${holds} ${path}`).size) return;

    for (const { text, number } of toLines(readText(path, where, context))) {
      const origin: Origin = {
        folder: context.cwd,
        context,
        where: ` in ${path}:${number}`,
      };
      const line = expandVariables(text, env);
      const { requirement, options } = splitOptions(line);
      if (requirement !== "") readRequirement(line, options, holds, origin);
      else readOptions(options, chain, origin);
    }
  }

  function readRequirement(
    line: string,
    options: Option[],
    holds: File["holds"],
    origin: Origin,
  ): void {
    const other = options.find(({ name }) => name !== "--hash");
    if (other) throw notSupported(other, origin);
    if (holds === "constraints") {
      found.constraints.push(toConstraint(line, origin));
    } else found.requirements.push(toRequirement(line, origin));
  }

  function readOptions(
    options: Option[],
    chain: string[],
    origin: Origin,
  ): void {
    const folder = dirname(chain.at(-1) ?? "");
    for (const option of options) {
      const { name, value } = option;
      const take = TAKEN[name];
      if (take === undefined) throw notSupported(option, origin);
      if (value === "") {
        throw new UserError(
          `Cannot use ${name}${origin.where} as its value is missing.`,
          EXIT.usage,
        );
      }
      switch (take) {
        case "requirements":
        case "constraints":
          refuseUrl(value, origin);
          readFile(
            { path: resolve(folder, value), holds: take },
            chain,
            origin.where,
          );
          break;
        case "findLinks": {
          const beside = join(folder, value);
          const text = context.exists(beside) ? beside : value;
          found.findLinks.push(toFolder(text, name + origin.where, context));
          break;
        }
        case "indexUrl":
          found.indexUrl = toIndexUrl(option, origin);
          break;
        case "extraIndexUrls":
          found.extraIndexUrls.push(toIndexUrl(option, origin));
          break;
        case "as it is":
          break;
      }
    }
  }
}

/** The options that are read, by what they give. */
const TAKEN: Record<
  string,
  File["holds"] | "findLinks" | "indexUrl" | "extraIndexUrls" | "as it is"
> = {
  "--requirement": "requirements",
  "--constraint": "constraints",
  "--find-links": "findLinks",
  "--index-url": "indexUrl",
  "--extra-index-url": "extraIndexUrls",
  // Only wheels are taken anyway.
  "--only-binary": "as it is",
};

const SHORT: Record<string, string> = {
  "-r": "--requirement",
  "-c": "--constraint",
  "-f": "--find-links",
  "-i": "--index-url",
  "-e": "--editable",
};

/** What to do instead of an option that is not read. */
const REMEDIES: Record<string, string> = {
  "--no-index": "leave it out, and start with --offline",
  "--editable":
    "only wheels run in WebAssembly: build one, and name its path instead",
  "--no-binary": "leave it out: only wheels run in WebAssembly",
  "--prefer-binary": "leave it out: only wheels are taken anyway",
  "--pre": "leave it out, and name the version, as in name==2.0rc1",
  "--require-hashes": "leave it out: every hash that is given is checked",
  "--trusted-host":
    "leave it out, and name the host's certificate in DENO_CERT",
  "--hash": "write it behind a requirement",
};

/** An option in a file, with its long name. */
interface Option {
  name: string;
  value: string;
}

/**
 * The lines that say something, without comments; one that a backslash ends is
 * continued.
 */
function* toLines(text: string): Generator<{ text: string; number: number }> {
  let joined = "";
  let first = 0;
  for (const [index, line] of text.split("\n").entries()) {
    if (joined === "") first = index;
    // As in pip, a line that is all comment neither continues nor is continued.
    const isComment = /^\s*#/.test(line);
    if (line.endsWith("\\") && !isComment) {
      joined += line.slice(0, -1);
      continue;
    }
    yield* clean(isComment ? joined : joined + line, first + 1);
    joined = "";
  }
  yield* clean(joined, first + 1);
}

function* clean(line: string, number: number) {
  const text = line.replace(/(^|\s)#.*/, "").trim();
  if (text !== "") yield { text, number };
}

/** Puts in the variables that are set, as pip does: only such as `${NAME}`. */
function expandVariables(line: string, env: Env): string {
  return line.replace(
    /\$\{([A-Z0-9_]+)\}/g,
    (all, name: string) => env[name] || all,
  );
}

/** Splits a line at its first option, as pip does. */
function splitOptions(line: string): {
  requirement: string;
  options: Option[];
} {
  const start = line.search(/(?<!\S)-/);
  if (start === -1) return { requirement: line, options: [] };
  const words = line.slice(start).match(/(?:"[^"]*"|'[^']*'|[^\s"']|["'])+/g) ??
    [];
  const options: Option[] = [];
  for (const word of words) {
    const [, long, short, rest = ""] =
      /^(?:(--[^=]*)|(-[^-]))(?:=?(.*))$/s.exec(word) ?? [];
    const name = long ?? SHORT[short ?? ""] ?? short;
    const last = options.at(-1);
    if (name !== undefined) options.push({ name, value: unquote(rest) });
    else if (last?.value === "") last.value = unquote(word);
    else options.push({ name: JSON.stringify(word), value: "" });
  }
  return { requirement: line.slice(0, start).trim(), options };
}

function unquote(text: string): string {
  return text.replace(/"([^"]*)"|'([^']*)'/g, "$1$2");
}

function toIndexUrl({ name, value }: Option, { where }: Origin): string {
  const url = maybeWebAddress(value);
  if (url !== undefined) return url;
  throw new UserError(
    `Cannot use "${hideCredentials(value)}" for ${name}${where} as it must ` +
      `be ${webAddress.wants}.`,
    EXIT.usage,
  );
}

function refuseUrl(file: string, { where }: Origin): void {
  if (!/^[a-z][a-z\d+.-]+:/i.test(file)) return;
  throw refused(
    hideCredentials(file),
    where,
    "only files of this machine are read; download it",
  );
}

function notSupported({ name }: Option, { where }: Origin): UserError {
  const remedy = REMEDIES[name] ?? "take it out of the file";
  return new UserError(
    `Cannot use ${hideCredentials(name)}${where}: ${remedy}.`,
    EXIT.usage,
  );
}

function readText(path: string, where: string, context: CliContext): string {
  let text: string;
  try {
    text = context.readTextFile(path);
  } catch (error) {
    throw new UserError(
      `Cannot read the requirements in "${path}"${
        where && `, named${where}`
      }: ${reasonOf(error)}. Name a file of requirements.`,
      EXIT.usage,
    );
  }
  // Such as UTF-16, which older PowerShells write.
  if (text.includes("\0")) {
    throw refused(path, where, "it is not UTF-8 text; save it as UTF-8");
  }
  return text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
}

function refused(path: string, where: string, reason: string): UserError {
  return new UserError(
    `Cannot read the requirements in "${path}"${
      where && `, named${where},`
    } as ${reason}.`,
    EXIT.usage,
  );
}
