import type { MayCall } from "../code_mode/find_downstream.ts";
import type { Hub } from "../code_mode/hub.ts";
import type { HostCall } from "../host_calls/host_call.ts";

/** The parts of a server's components. */
export interface ComponentParts {
  hub: Hub;
  /** Calls a tool, as Python does. */
  callTool: HostCall;
  mayCall: MayCall;
  /** Time for an answer, in milliseconds. */
  timeoutMs: number;
}
