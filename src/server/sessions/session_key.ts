import { createHash } from "node:crypto";

/** A session's name in logs and in the store, which does not tell its handle. */
export function toKey(handle: string): string {
  return createHash("sha256").update(handle).digest("hex").slice(0, 32);
}
