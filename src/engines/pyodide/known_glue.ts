import { sha256Aside } from "../../disk.ts";

/**
 * Hashes (sha256) of linked JavaScript that a worker may import, for each Pyodide. A
 * cache that came with a project could hold any other, which would run before
 * the worker's walls are whole.
 */
const KNOWN = [
  // Pyodide 314.0.7
  "5e4749d52d34661905c03efcf5346710eda41de26861895e64d6ed36dcd67dab",
];

/** Whether a file is the linked JavaScript of a known Pyodide. */
export async function isKnownGlue(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  return KNOWN.includes(await sha256Aside(bytes));
}
