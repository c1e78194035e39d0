import { join } from "node:path";
import { withoutCredentials } from "../requirements/credentials.ts";
import { sha256 } from "../disk.ts";
import type { InstallOrder } from "./phase_1/messages.ts";

/** Names of the notes beside a wheel: empty files, each named after a source. */
export const NOTE = /^([0-9a-f]{64})\.from$/;

/** Ids of the sources of an order; an id reveals neither address nor credentials. */
export interface Origins {
  dist: string;
  /** In the order in which they are asked. */
  indexes: string[];
}

export function originsOf(
  { dist, indexes }: Pick<InstallOrder, "dist" | "indexes">,
): Origins {
  return {
    dist: toId("distribution", dist ?? null),
    indexes: indexes.map((url) => toId("index", url)),
  };
}

/** Notes beside a wheel that a source has it; installs at one time do not lose each other's files. */
export async function noteOrigin(folder: string, id: string): Promise<void> {
  try {
    await Deno.writeFile(join(folder, `${id}.from`), new Uint8Array());
  } catch (error) {
    // The cache may be full, read-only or another user's: without a note the
    // wheel is not offered offline.
    if (error instanceof Deno.errors.NotCapable) throw error;
  }
}

/** The id of a source; spellings of one address have one id. */
function toId(kind: string, address: string | null): string {
  const { url } = withoutCredentials(address ?? "");
  const same = (URL.parse(url)?.href ?? url).replace(/\/+$/, "");
  return sha256(JSON.stringify([kind, same]));
}
