import { createHmac, randomBytes } from "node:crypto";
import { sha256 } from "../../disk.ts";
import type { ServerEntry } from "../../protocol/downstream.ts";

/**
 * Hash of an entry, which names it on disk: the values of variables and headers
 * do not count, as they are secret; their names do.
 */
export function fingerprintOf(entry: ServerEntry): string {
  const facts = entry.transport === "stdio"
    ? [
      entry.command,
      entry.args,
      entry.cwd ?? null,
      Object.keys(entry.env).sort(),
    ]
    : [
      entry.url,
      Object.keys(entry.headers).map((name) => name.toLowerCase()).sort(),
    ];
  return sha256(JSON.stringify([entry.transport, ...facts]));
}

/**
 * Hash of all that a bridge is started with, which changes with a secret, too. Its
 * key is of this process alone: no secret can be guessed from it.
 */
export function revisionOf(entry: ServerEntry): string {
  const secrets = entry.transport === "stdio" ? entry.env : entry.headers;
  const values = Object.entries(secrets).sort();
  return createHmac("sha256", KEY)
    .update(JSON.stringify([fingerprintOf(entry), values])).digest("hex");
}

const KEY = randomBytes(32);
