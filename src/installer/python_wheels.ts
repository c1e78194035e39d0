import { MICROPIP } from "../../deps/micropip.ts";
import { PACKAGING } from "../../deps/packaging.ts";
import { RESOLVELIB } from "../../deps/resolvelib.ts";
import { sha256 } from "../environments/environment.ts";

export const PYTHON_WHEELS = [PACKAGING, RESOLVELIB, MICROPIP] as const;

/** Reads the wheels that phase 1 runs on, and checks their pinned hashes. */
export function readPythonWheels(): Promise<Uint8Array[]> {
  return Promise.all(PYTHON_WHEELS.map(async (pinned) => {
    const wheel = await Deno.readFile(pinned.url);
    if (sha256(wheel) === pinned.sha256) return wheel;
    throw new Error(`${pinned.url} is not the pinned wheel`);
  }));
}
