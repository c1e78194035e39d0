import { sha256 } from "../../disk.ts";

/** A session's name in logs and in the store, which does not tell its handle. */
export function toKey(handle: string): string {
  return sha256(handle).slice(0, 32);
}
