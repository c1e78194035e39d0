import type { Json } from "../../protocol/run_result.ts";
import { type HostCall, hostCall, HostCallError } from "./host_call.ts";
import { HOST_CALLS, type HostCalls } from "./host_calls.ts";

/** Calls that may wait for the shell at a time; honest code waits for its last. */
const MOST_OPEN = 100;
let open = 0;

/** The calls of code of a shell; the launcher reads their arguments. */
export const SHELL_CALLS: HostCalls = {
  ...HOST_CALLS,
  asks: ["read_input", "list_modules", "read_module"].map(toShellCall),
};

function toShellCall(name: string): HostCall {
  return hostCall({
    name,
    parse: (data) => data as Json,
    async answer(args, { run }) {
      if (!run.askShell || open >= MOST_OPEN) {
        throw new HostCallError(
          "RuntimeError",
          `Cannot call ${name} as ${open} calls wait for the shell.`,
        );
      }
      open++;
      try {
        return await run.askShell(name, args);
      } finally {
        open--;
      }
    },
  });
}
