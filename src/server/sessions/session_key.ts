import { hashOf } from "../hash_of.ts";

/** A session's name in logs and in the store, which does not tell its handle. */
export async function toKey(handle: string): Promise<string> {
  return (await hashOf(new TextEncoder().encode(handle))).slice(0, 32);
}
