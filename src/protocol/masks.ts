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
  /(key|token|secret|password|passwd|pwd|credentials?|cookie|dsn)$|(^|[_-])(auth|pass|pat)$/i;

/** Gives a function that covers the secrets of an entry in a message about it. */
export function masksOf(entry: ServerEntry): (text: string) => string {
  return cover(secretsOf(entry).inWords, SHORTEST_SECRET);
}

/**
 * The same for data of the server, as JSON text, which may hold JSON text in its
 * turn: of its variables those are covered that are secrets by their names.
 */
export function dataMasksOf(entry: ServerEntry): (json: string) => string {
  const escaped = secretsOf(entry).inData.flatMap((secret) => {
    const once = JSON.stringify(secret).slice(1, -1);
    return [secret, once, JSON.stringify(once).slice(1, -1)];
  });
  return cover(escaped, SHORTEST_IN_DATA);
}

function secretsOf(entry: ServerEntry): Secrets {
  switch (entry.transport) {
    case "stdio":
      return ofProgram(entry);
    case "http":
      return ofAddress(entry);
    default:
      return unknownTransport(entry);
  }
}

interface Secrets {
  inWords: string[];
  inData: string[];
}

function ofProgram({ env, args }: StdioEntry): Secrets {
  const own = Object.entries(env)
    .filter(([name]) => !BASE_VARIABLES.includes(name.toUpperCase()))
    .flatMap(([, value]) => [value, ...value.split("\n")]);
  const named = Object.entries(env).filter(([name]) => SECRET_NAME.test(name))
    .map(([, value]) => value);
  const given = secretArguments(args);
  return { inWords: [...own, ...given], inData: [...named, ...given] };
}

function ofAddress({ url, headers }: HttpEntry): Secrets {
  const { username, password, search, searchParams, pathname } = new URL(url);
  const inData = [
    username,
    password,
    ...searchParams.values(),
    // Some services have their keys in the path.
    ...pathname.split("/").filter((part) => part.length >= LONG_PART),
    // `Bearer` alone is not a secret.
    ...Object.values(headers)
      .flatMap((value) => [value, ...value.split(" ").slice(1)]),
  ];
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
  const secrets = [...new Set(values)]
    .filter(({ length }) => length >= shortest)
    // A secret may be a part of another.
    .sort((one, other) => other.length - one.length);
  return (text) =>
    secrets.reduce((text, secret) => text.replaceAll(secret, "***"), text);
}
