import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import type { Mount } from "../../../grants/mounts.ts";

/** Shows folders of this machine to Python; set where there is a way to. */
export const mounting: {
  mount?: (python: PyodideInterface, mounts: readonly Mount[]) => void;
} = {};
