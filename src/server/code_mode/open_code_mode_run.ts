import type { RunNotes } from "../run_log.ts";
import type { Owner } from "../sessions/kept_session.ts";
import type { Approvals, Asking } from "./approvals.ts";
import type { CodeModeRun } from "./code_mode_run.ts";
import type { Facts } from "../../protocol/log_lines.ts";
import { head } from "../../results/cut.ts";

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
    servers,
    owner: owner.name,
    audit,
    approve: approvals.open(owner, asking, audit),
  };
}

/** Characters of a text, and texts of a list: names come from anywhere. */
const LONGEST_TEXT = 300;
const MOST_TEXTS = 100;

/** The audit of a run: each line has the run's id, its client and its session. */
export function toRunAudit({ note }: RunNotes): CodeModeRun["audit"] {
  return (event, facts) => {
    const entries = Object.entries(facts)
      .map(([name, fact]) => [name, toFact(fact)]);
    note(event, Object.fromEntries(entries));
  };
}

function toFact(fact: unknown): Facts[string] {
  if (fact === undefined || typeof fact === "number") return fact;
  if (Array.isArray(fact)) return fact.slice(0, MOST_TEXTS).map(toText);
  return toText(fact);
}

function toText(fact: unknown): string {
  return head(String(fact), LONGEST_TEXT);
}
