import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import type { Mount } from "../../../grants/mounts.ts";

/** What a worker with mounts has that others have not. */
export const mounting: {
  /** What stands in the place of `Deno`. */
  door?: { get: () => unknown };
  /** Shows folders of this machine to Python. */
  mount?: (python: PyodideInterface, mounts: readonly Mount[]) => void;
} = {};
