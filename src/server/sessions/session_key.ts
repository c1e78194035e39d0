import { hashOf } from "../hash_of.ts";

/** A session's name in logs and in the store, which does not tell its handle. */
export function toKey(handle: string): string {
  return hashOf(handle).slice(0, 32);
}
