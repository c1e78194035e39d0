import { BASE_VARIABLES } from "./base_variables.ts";
import type { ServerEntry } from "./downstream.ts";

/** Shorter values, such as `true`, would blacken words that tell nothing. */
const SHORTEST_SECRET = 4;

/** Gives a function that covers the secrets of an entry in a text. */
export function masksOf(entry: ServerEntry): (text: string) => string {
  const secrets = secretsOf(entry).filter((value) =>
    value.length >= SHORTEST_SECRET
  ).sort((one, other) => other.length - one.length);
  return (text) =>
    secrets.reduce((text, secret) => text.replaceAll(secret, "***"), text);
}

function secretsOf(entry: ServerEntry): string[] {
  if (entry.transport === "stdio") {
    return [
      ...Object.entries(entry.env)
        .filter(([name]) => !BASE_VARIABLES.includes(name.toUpperCase()))
        .flatMap(([, value]) => [value, ...value.split("\n")]),
      ...secretArguments(entry.args),
    ];
  }
  const { username, password, search, searchParams, pathname } = new URL(
    entry.url,
  );
  return [
    ...[entry.url, username, password, search, ...searchParams.values()],
    // Some services have their keys in the path.
    ...pathname.split("/").filter((part) => part.length >= LONG_PART),
    ...Object.values(entry.headers)
      // `Bearer` alone is not a secret.
      .flatMap((value) => [value, ...value.split(" ").slice(1)]),
  ];
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

const SECRET_NAME = /(key|token|secret|password|passwd|auth|credentials?)$/i;
