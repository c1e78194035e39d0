import { maybe } from "../../../errors.ts";
import { withoutCredentials } from "../../../requirements/credentials.ts";
import type { HttpEntry, StdioEntry } from "../../../protocol/downstream.ts";
import { fields } from "../../../protocol/fields.ts";
import { type FilePlace, Unusable } from "./format.ts";
import { contentsOf, type Fill, toAbsolute } from "./variables.ts";

/** The parts of an entry as its file has them, before they are checked. */
export interface RawStdio {
  command: unknown;
  args?: unknown;
  env?: unknown;
  cwd?: unknown;
  /** A file of variables, below which `env` counts. */
  envFile?: unknown;
}

/** @throws {Unusable} If a part is wrong, or a variable is not set. */
export function toStdio(
  { command, args, env, cwd, envFile }: RawStdio,
  fill: Fill,
  place: FilePlace,
): StdioEntry {
  if (typeof command !== "string" || command.trim() === "") {
    throw new Unusable("its command is not a text");
  }
  const folder = cwd === undefined || cwd === null || cwd === ""
    ? undefined
    : toAbsolute(fill(toText(cwd, "its cwd")), place);
  const start = { ...place, folder: folder ?? place.folder };
  const program = fill(command);
  const words = args ?? [];
  if (!Array.isArray(words)) throw new Unusable("its args are not a list");
  const entry: StdioEntry = {
    transport: "stdio",
    // A name without a folder is found on the path.
    command: hasFolder(program, place) ? toAbsolute(program, start) : program,
    args: words.map((word) => fill(toText(word, "an element of its args"))),
    env: {
      ...readVariables(envFile, fill, place),
      ...toTexts(env, "env", fill),
    },
    ...(folder === undefined ? {} : { cwd: folder }),
  };
  const all = [entry.command, ...entry.args, ...Object.entries(entry.env)];
  if (all.flat().some((text) => text.includes("\0"))) {
    throw new Unusable("it holds a NUL byte");
  }
  if (Object.keys(entry.env).some((name) => /^$|=/.test(name))) {
    throw new Unusable("a name of its env is empty or has a =");
  }
  return entry;
}

function hasFolder(program: string, { os }: FilePlace): boolean {
  return program.includes("/") || os === "windows" && program.includes("\\");
}

/** @throws {Unusable} If a part is wrong, or a variable is not set. */
export function toHttp(
  { url, headers }: { url: unknown; headers?: unknown },
  fill: Fill,
): HttpEntry {
  const text = fill(toText(url, "its URL"));
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? "")) {
    throw new Unusable("its URL is not one of http or https");
  }
  const given = toTexts(headers, "headers", fill);
  for (const [name, value] of Object.entries(given)) refuseHeader(name, value);
  const plain = withoutCredentials(text);
  const names = Object.keys(given).map((name) => name.toLowerCase());
  return {
    transport: "http",
    url: plain.url,
    headers: plain.credential && !names.includes("authorization")
      ? { ...given, Authorization: plain.credential.authorization }
      : given,
  };
}

/** @throws {Unusable} Always: no bridge speaks SSE. */
export function refuseSse(remedy = SSE_REMEDY): never {
  throw new Unusable(
    "its transport is SSE, which MCP has given up for streamable HTTP",
    remedy,
  );
}

const SSE_REMEDY =
  'If the server speaks streamable HTTP, write its URL of that with "type": "http".';

function refuseHeader(name: string, value: string): void {
  if (maybe(() => new Headers([[name, value]]))) return;
  throw new Unusable(`its header ${JSON.stringify(name)} is not valid`);
}

/** An object of texts; numbers and booleans count as their texts. */
function toTexts(
  data: unknown,
  key: string,
  fill: Fill,
): Record<string, string> {
  const isObject = typeof data === "object" && !Array.isArray(data);
  if (data !== undefined && !isObject) {
    throw new Unusable(`its ${key} is not an object of texts`);
  }
  return Object.fromEntries(
    // A variable that is null is left out, as VS Code does.
    Object.entries(fields(data)).filter(([, value]) => value !== null)
      .map((
        [name, value],
      ) => [name, fill(toText(value, `${name} of its ${key}`))]),
  );
}

function toText(data: unknown, what: string): string {
  if (typeof data === "string") return data;
  if (typeof data === "number" || typeof data === "boolean") return `${data}`;
  throw new Unusable(`${what} is not a text`);
}

/** Reads lines such as `NAME=value`, as the editors do. */
function readVariables(
  file: unknown,
  fill: Fill,
  place: FilePlace,
): Record<string, string> {
  if (file === undefined || file === null) return {};
  const text = contentsOf(fill(toText(file, "its envFile")), place);
  return Object.fromEntries(
    text.split(/\r?\n/).flatMap((line) => {
      const [, name, value = ""] =
        /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, unquote(value)]];
    }),
  );
}

function unquote(value: string): string {
  const [, quote, inside] = /^(["'])(.*)\1$/.exec(value) ?? [];
  if (inside === undefined) return value.replace(/\s+#.*$/, "");
  return quote === '"' ? inside.replaceAll("\\n", "\n") : inside;
}
