import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import type { Mount } from "../../../grants/mounts.ts";

/** The additions of a worker with mounts; empty in other workers. */
export const mounting: {
  /** The property that replaces the global `Deno`. */
  door?: { get: () => unknown };
  /** Mounts folders of this machine for Python. */
  mount?: (python: PyodideInterface, mounts: readonly Mount[]) => void;
} = {};
