import { MICROPIP } from "../../deps/micropip.ts";
import { sha256 } from "./environment.ts";

/** Reads micropip's wheel, and checks that it is the pinned one. */
export async function readMicropip(): Promise<Uint8Array> {
  const wheel = await Deno.readFile(MICROPIP.url);
  if (sha256(wheel) !== MICROPIP.sha256) {
    throw new Error(`${MICROPIP.url} is not the pinned wheel`);
  }
  return wheel;
}
