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
    return Object.entries(entry.env)
      .filter(([name]) => !BASE_VARIABLES.includes(name.toUpperCase()))
      .flatMap(([, value]) => [value, ...value.split("\n")]);
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
