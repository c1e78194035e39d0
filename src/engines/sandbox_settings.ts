import type { RunLimits } from "../protocol/run_limits.ts";
import type { PyodideOptions } from "./pyodide/host.ts";

/** What a sandbox process is told by its argument. */
export type SandboxSettings = PyodideOptions & RunLimits & {
  /** Hosts that this process may reach for its runs. */
  hosts?: readonly string[];
};
