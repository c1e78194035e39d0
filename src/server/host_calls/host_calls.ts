/**
 * Every call that Python may make on its host. A new call is added here, and has
 * a function in `engines/pyodide/runner/mcp_run_python.py`.
 *
 * @module
 */
import type { HostCall } from "./host_call.ts";
import { notifyProgress } from "./notify_progress.ts";

/** The calls that a run may make. */
export interface HostCalls {
  /** Python waits for their answer. */
  asks: readonly HostCall[];
  /** They are not answered; only the latest of a name counts. */
  notifications: readonly HostCall[];
}

/** The calls that every run may make. */
export const HOST_CALLS: HostCalls = {
  asks: [],
  notifications: [notifyProgress],
};
