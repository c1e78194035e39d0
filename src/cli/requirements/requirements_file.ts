import { hideCredentials } from "../../requirements/hide_credentials.ts";
import { EXIT, reasonOf, UserError } from "../../errors.ts";
import { toFolder } from "../folders.ts";
import { maybeWebAddress, webAddress } from "../../settings/kinds.ts";
import type { CliContext, Env } from "../context.ts";
import { pathRules } from "../../grants/paths.ts";
import { type Origin, toConstraint, toRequirement } from "./requirement.ts";

interface FromFiles {
  requirements: string[];
  constraints: string[];
  findLinks: string[];
  /** The last that a file names. */
  indexUrl?: string;
  extraIndexUrls: string[];
}

/** A deeper chain of files is a mistake, such as a folder that links to itself. */
const MAX_DEPTH = 50;

interface File {
  path: string;
  holds: "requirements" | "constraints";
}

/**
 * Reads requirements files as pip does, with the files that they name.
 *
 * @throws {UserError} If a file cannot be read, or has an option that is not
 * supported.
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
  const here = { folder: context.cwd, context };
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
      refuseFile(path, where, `it leads to itself: ${chain.join(" > ")}`);
    }
    if (chain.length > MAX_DEPTH) {
      refuseFile(path, where, `it is ${MAX_DEPTH} files deep`);
    }
    // Reading a file again adds nothing, and can take for ever.
    if (done.size === done.add(`${holds} ${path}`).size) return;

    for (const { text, number } of toLines(readText(path, where, context))) {
      const origin: Origin = { ...here, where: ` in ${path}:${number}` };
      const line = expandVariables(text, env);
      const { requirement, options } = splitOptions(line);
      if (requirement === "") {
        for (const option of options) readOption(option, chain, origin);
        continue;
      }
      const other = options.find(({ name }) => name !== "--hash");
      if (other) refuseOption(other, origin);
      const read = holds === "constraints" ? toConstraint : toRequirement;
      found[holds].push(read(line, origin));
    }
  }

  function readOption(option: Option, chain: string[], origin: Origin): void {
    const { name, value } = option;
    const { where } = origin;
    const take = TAKEN[name];
    if (take === undefined) return refuseOption(option, origin);
    if (value === "") {
      refuse(`Cannot use ${name}${where} as its value is missing.`);
    }
    const folder = dirname(chain.at(-1) ?? "");
    switch (take) {
      case "requirements":
      case "constraints":
        if (/^[a-z][a-z\d+.-]+:/i.test(value)) {
          const reason = "only files of this machine are read; download it";
          refuseFile(hideCredentials(value), where, reason);
        }
        readFile({ path: resolve(folder, value), holds: take }, chain, where);
        break;
      case "findLinks": {
        const beside = join(folder, value);
        const text = context.exists(beside) ? beside : value;
        found.findLinks.push(toFolder(text, name + where, context));
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

/** The options that are supported, by the field that they fill. */
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

/** Remedies for options that are not supported. */
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

/** Lines without comments, joined where a backslash ends them; no empty lines. */
function* toLines(text: string): Generator<{ text: string; number: number }> {
  let joined = "";
  let first = 0;
  for (const [index, line] of `${text}\n`.split("\n").entries()) {
    if (joined === "") first = index;
    // As in pip, a line that is a comment ends the lines before it.
    const isComment = /^\s*#/.test(line);
    if (line.endsWith("\\") && !isComment) {
      joined += line.slice(0, -1);
      continue;
    }
    const whole = (isComment ? joined : joined + line)
      .replace(/(^|\s)#.*/, "").trim();
    if (whole !== "") yield { text: whole, number: first + 1 };
    joined = "";
  }
}

/** Replaces `${NAME}` by the variable's value if it is set, as pip does. */
function expandVariables(line: string, env: Env): string {
  const reference = /\$\{([A-Z0-9_]+)\}/g;
  return line.replace(reference, (all, name: string) => env[name] || all);
}

/** Splits a line at its first option, as pip does. */
function splitOptions(line: string) {
  const start = line.search(/(?<!\S)-/);
  if (start === -1) return { requirement: line, options: [] };
  const words = line.slice(start).matchAll(
    /(?:"[^"]*"|'[^']*'|[^\s"']|["'])+/g,
  );
  const options: Option[] = [];
  for (const [word] of words) {
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
  const shown = hideCredentials(value);
  return maybeWebAddress(value) ?? refuse(
    `Cannot use "${shown}" for ${name}${where} as it must be ${webAddress.wants}.`,
  );
}

function refuseOption({ name }: Option, { where }: Origin): never {
  const remedy = REMEDIES[name] ?? "take it out of the file";
  return refuse(`Cannot use ${hideCredentials(name)}${where}: ${remedy}.`);
}

function readText(path: string, where: string, context: CliContext): string {
  let text: string;
  try {
    text = context.readTextFile(path);
  } catch (error) {
    const named = where && `, named${where}`;
    const reason = reasonOf(error);
    return refuse(
      `Cannot read the requirements in "${path}"${named}: ${reason}. Name a file of requirements.`,
    );
  }
  // Such as UTF-16, which older PowerShells write.
  if (text.includes("\0")) {
    refuseFile(path, where, "it is not UTF-8 text; save it as UTF-8");
  }
  return text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
}

function refuseFile(path: string, where: string, reason: string): never {
  const named = where && `, named${where},`;
  return refuse(
    `Cannot read the requirements in "${path}"${named} as ${reason}.`,
  );
}

function refuse(message: string): never {
  throw new UserError(message, EXIT.usage);
}
