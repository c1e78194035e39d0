import { maybe } from "../errors.ts";
import { coverTexts, toMeant } from "./cover.ts";
import {
  BASE_VARIABLES,
  type HttpEntry,
  type ServerEntry,
  type StdioEntry,
  unknownTransport,
} from "./downstream.ts";

/** Shorter values, such as `true`, would blacken words that tell nothing. */
const SHORTEST_SECRET = 4;
/** The same where a text is data. */
const SHORTEST_IN_DATA = 8;
/** Names of variables and options whose values are secrets, and not paths or modes. */
const SECRET_NAME =
  /(key|token|secret|password|passwd|passphrase|pwd|credential|cookie|authorization|jwt|webhook|dsn)s?([_-]?(url|json|pem|base64|value|\d+))?$|(^|[_-])(auth|pass|pat)$/i;
/** As in `Authorization: Bearer TOKEN`, `?api_key=KEY` and `Password=WORD;`, with their names. */
const NAMED_VALUE =
  /([\w-]+)["']?\s*[=:]\s*["']?(?=(?:(?:bearer|basic|token|bot)\s+)?([^\s"',;&]+))/gi;
const CREDENTIAL = /^(?:bearer|basic|token|bot)\s+(\S+)$/i;
const BASIC = /\bbasic\s+([\w+/=-]+)/gi;

/** Gives a function that covers the secrets of an entry in a message about it. */
export function masksOf(entry: ServerEntry): (text: string) => string {
  return cover(secretsOf(entry).inWords, SHORTEST_SECRET);
}

/**
 * The same for data of the server: in all strings, numbers and names of it. Of its
 * variables those are covered that are secrets by their names.
 */
export function dataMasksOf(entry: ServerEntry): <T>(data: T) => T {
  const { inData } = secretsOf(entry);
  // A copy of all data has its price.
  if (inData.length === 0) return (data) => data;
  const mask = cover(inData, SHORTEST_IN_DATA);
  const coverAll = (data: unknown): unknown => {
    if (typeof data === "string") return mask(data);
    if (typeof data === "number") {
      return mask(`${data}`) === `${data}` ? data : mask(`${data}`);
    }
    if (Array.isArray(data)) return data.map(coverAll);
    if (typeof data !== "object" || data === null) return data;
    return Object.fromEntries(
      Object.entries(data).map(([name, value]) => [
        mask(name),
        coverAll(value),
      ]),
    );
  };
  return <T>(data: T) => coverAll(data) as T;
}

function secretsOf(entry: ServerEntry): Secrets {
  switch (entry.transport) {
    case "stdio":
      return ofProgram(entry);
    case "http":
      return ofAddress(entry);
    case "wasm":
      return ofVariables(entry.grants.variables);
    default:
      return unknownTransport(entry);
  }
}

interface Secrets {
  inWords: string[];
  inData: string[];
}

function ofProgram({ env, args }: StdioEntry): Secrets {
  const { inWords, inData } = ofVariables(env);
  const given = [...secretArguments(args), ...args.flatMap(namedIn)];
  return { inWords: [...inWords, ...given], inData: [...inData, ...given] };
}

function ofVariables(env: Readonly<Record<string, string>>): Secrets {
  const own = Object.entries(env)
    .filter(([name]) => !BASE_VARIABLES.includes(name.toUpperCase()))
    .map(([, value]) => value);
  const named = Object.entries(env).filter(([name]) => SECRET_NAME.test(name))
    .map(([, value]) => value);
  const within = Object.values(env).flatMap(namedIn);
  return { inWords: [...own, ...within], inData: [...named, ...within] };
}

/**
 * The secrets within a text: values of headers and parameters whose names say so;
 * passwords of addresses, and users without one.
 */
function namedIn(text: string): string[] {
  const users = text.matchAll(
    /[a-z][a-z\d+.-]*:\/\/([^\s/@:]*)(?::([^\s/]*))?@/gi,
  );
  return [
    ...[...users].flatMap(([, user = "", password]) =>
      password === undefined ? [user] : [`${user}:${password}`, password]
    ),
    ...[...text.matchAll(NAMED_VALUE)].flatMap(([, name = "", value = ""]) =>
      SECRET_NAME.test(name) ? [value] : []
    ),
    ...CREDENTIAL.exec(text)?.slice(1) ?? [],
    ...basicIn(text),
  ];
}

/** User and password of `Basic …`, as which those of an address are sent, too. */
function basicIn(text: string): string[] {
  return [...text.matchAll(BASIC)].flatMap(([, base64 = ""]) => {
    const both = maybe(() => atob(base64)) ?? "";
    const password = both.slice(both.indexOf(":") + 1);
    // Some services have a key as the user.
    return [both, password === "" ? both.slice(0, -1) : password];
  });
}

function ofAddress({ url, headers }: HttpEntry): Secrets {
  const { username, password, search, searchParams, pathname } = new URL(url);
  const inData = [
    ...[username, password, ...searchParams.values()],
    // As it is written, which may be encoded in another way.
    ...search.split(/[?&=]/).slice(1),
    // Some services have their keys in the path.
    ...pathname.split("/").filter((part) => part.length >= LONG_PART),
    // `Bearer` alone is not a secret.
    ...Object.values(headers)
      .flatMap((value) => [
        value,
        ...value.split(" ").slice(1),
        ...basicIn(value),
      ]),
  ].filter((value) => !searchParams.has(value));
  return { inWords: [url, search, ...inData], inData };
}

const LONG_PART = 16;

/** As in `--api-key KEY`, `--token=TOKEN` and `API_KEY=KEY`; other arguments are words. */
function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    const [name = "", ...value] = arg.split("=");
    if (!SECRET_NAME.test(name)) return [];
    if (value.length > 0) return [value.join("=")];
    return arg.startsWith("-") ? args.slice(at + 1, at + 2) : [];
  });
}

function cover(
  values: readonly string[],
  shortest: number,
): (text: string) => string {
  const secrets = [...new Set(values.flatMap(textsOf))]
    .filter(({ length }) => length >= shortest);
  return (text) => coverTexts(text, secrets);
}

/** A secret, its lines, and each as it is meant if it is written with escapes. */
function textsOf(secret: string): string[] {
  const lines = [secret, toMeant(secret)].map((text) => text.split(/\r?\n/));
  return [secret, ...lines.filter(({ length }) => length > 1).flat()]
    .flatMap((text) => [text, toMeant(text)])
    .flatMap((text) => [text, text.replaceAll(" ", "+")]);
}
