import type { HostCall } from "../host_calls/host_call.ts";
import type { CodeModeRun } from "./code_mode_run.ts";
import type { Kept } from "./kept.ts";

/**
 * Has a host call audit what it keeps and deletes, for the run that it is of.
 *
 * @param open Opens the call; it is opened once more for each call of Python.
 */
export function auditingKept(
  kept: Kept,
  open: (kept: Kept) => HostCall,
): HostCall {
  return {
    ...open(kept),
    async perform(data, caller) {
      const { codeMode } = caller.run;
      const own = codeMode ? auditKept(kept, codeMode.audit) : kept;
      return await open(own).perform(data, caller);
    },
  };
}

/** The same, with a line of the audit for each value that is written or deleted. */
export function auditKept(kept: Kept, audit: CodeModeRun["audit"]): Kept {
  return {
    list: (...place) => kept.list(...place),
    get: (...place) => kept.get(...place),
    async put(space, owner, key, value) {
      const facts = await kept.put(space, owner, key, value);
      if (facts) {
        const { bytes } = facts;
        audit("kept", { space, action: "save", key, bytes });
      }
      return facts;
    },
    async delete(space, owner, key) {
      const existed = await kept.delete(space, owner, key);
      if (existed) audit("kept", { space, action: "delete", key });
      return existed;
    },
  };
}
