import { sha256 } from "../disk.ts";

/** A wheel that comes with this program: a door in `deps/`. */
export interface PinnedWheel {
  url: URL;
  sha256: string;
}

/** Reads a wheel, and checks its pinned hash. */
export async function readPinned(
  { url, sha256: pinned }: PinnedWheel,
): Promise<Uint8Array<ArrayBuffer>> {
  const wheel = await Deno.readFile(url);
  if (sha256(wheel) === pinned) return wheel;
  throw new Error(`${url} is not the pinned wheel`);
}
