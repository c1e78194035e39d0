import type { RunNotes } from "../run_log.ts";
import type { Owner } from "../sessions/kept_session.ts";
import type { Approvals, Asking } from "./approvals.ts";
import type { CodeModeRun } from "./code_mode_run.ts";
import { toRunAudit } from "./run_audit.ts";

/** A run of a client's call, as its host calls see it. */
export function openCodeModeRun(
  { servers, owner, approvals, asking }: {
    servers: readonly string[];
    owner: Owner;
    approvals: Approvals;
    asking: Asking | undefined;
  },
  notes: RunNotes,
): CodeModeRun {
  notes.onServers(servers);
  const audit = toRunAudit(notes);
  return {
    ...{ servers, owner: owner.name, audit },
    approve: approvals.open(owner, asking, audit),
  };
}
