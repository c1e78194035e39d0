import { MANUAL } from "../code_mode/manual.ts";
import { type HostCall, hostCall } from "./host_call.ts";

/** `capability_summary()`. */
export const mcpManual: HostCall = hostCall({
  name: "mcp_manual",
  parse: () => null,
  answer: () => ({ text: MANUAL }),
});
