/**
 * All that Python may call on its host. What comes later is added here, and has
 * a function in `engines/pyodide/runner/mcp_run_python.py`.
 *
 * @module
 */
import type { HostCall } from "./host_call.ts";
import { notifyProgress } from "./notify_progress.ts";

/** What runs may call. */
export interface HostCalls {
  /** Python waits for their answer. */
  asks: readonly HostCall[];
  /** Nobody answers; only the latest counts. */
  notifications: readonly HostCall[];
}

/** What every run may call. */
export const HOST_CALLS: HostCalls = {
  asks: [],
  notifications: [notifyProgress],
};
