import type { ServerEntry } from "../../protocol/downstream.ts";

/** Shorter values are words such as "stdio", which messages need. */
const SHORTEST_SECRET = 6;

/** A message about a server, without the values of its variables and headers. */
export function hideSecrets(text: string, entry: ServerEntry): string {
  return secretsOf(entry)
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    // A secret may be a part of another.
    .sort((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, "***"), text);
}

function secretsOf(entry: ServerEntry): string[] {
  if (entry.transport === "stdio") return Object.values(entry.env);
  const { username, password, search, searchParams } = new URL(entry.url);
  const values = Object.values(entry.headers);
  return [
    ...values,
    // Of "Bearer …", servers may show the token alone.
    ...values.flatMap((value) => value.split(" ").slice(1)),
    ...[username, password, search.slice(1), ...searchParams.values()],
  ];
}
