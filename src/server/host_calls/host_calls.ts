import type { HostCall } from "./host_call.ts";
import { notifyProgress } from "./notify_progress.ts";

export interface HostCalls {
  /** Python waits for their answer. */
  asks: readonly HostCall[];
  /** They are not answered; only the latest of a name counts. */
  notifications: readonly HostCall[];
}

/**
 * Every call that a run may make. A new call is added here, and has a function in
 * the engine's `mcp_run_python.py`.
 */
export const HOST_CALLS: HostCalls = {
  asks: [],
  notifications: [notifyProgress],
};
