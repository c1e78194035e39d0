import { fileURLToPath } from "node:url";

/**
 * Finds the file that starts the program. A published package has another version
 * of this file, which unpacks the program first: `scripts/build/`.
 */
export function findCli(): string {
  return fileURLToPath(new URL("../../cli.ts", import.meta.url));
}
