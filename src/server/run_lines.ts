import type { Facts, Log } from "../protocol/log_lines.ts";
import { head } from "../results/cut.ts";
import { MIB } from "../units.ts";
import type { RunWatcher, WatchedRun } from "./run_log.ts";

/** The part of the code that a line has. */
interface LineTerms {
  /** Characters of the code; none if it is not wanted. */
  codeChars: number;
  /** Digits of its hash. */
  hashDigits: number;
  /** Whether the events of a run have lines of their own. */
  hasNotes?: boolean;
}

/** Terms of the logs. */
export function forLog({ logCode }: { logCode: boolean }): LineTerms {
  return { codeChars: logCode ? 100_000 : 0, hashDigits: 16 };
}

/** Terms of `--audit`. */
export function forAudit({ logCode }: { logCode: boolean }): LineTerms {
  return { codeChars: logCode ? MIB : 0, hashDigits: 64, hasNotes: true };
}

/** Writes a line for each run, at its end; nothing if such lines are not wanted. */
export function runLines(
  log: Log,
  { codeChars, hashDigits, hasNotes = false }: LineTerms,
): RunWatcher[] {
  if (!log.takes("info")) return [];
  return [{
    needsHash: true,
    onNote(run, event, facts) {
      if (hasNotes) log.write("info", event, { ...facts, ...toOrigin(run) });
    },
    onEnd(run, end) {
      const { code, codeBytes, sha256, servers, calls } = run;
      const { used } = end.figures ?? {};
      log.write("info", "run", {
        ...toOrigin(run),
        status: end.status,
        code_bytes: codeBytes,
        code_sha256: sha256.slice(0, hashDigits),
        wall_ms: Math.round(end.wallMs),
        waited_ms: Math.round(end.waitedMs),
        cpu_ms: used?.cpuMs,
        memory_mib: used?.memoryMiB,
        interpreter: end.figures?.interpreter,
        hosts: used?.hosts,
        files: end.files,
        file_bytes: end.fileBytes,
        servers,
        calls,
        replaced: end.replaced,
        ...end.refused === undefined ? {} : toRefusal(end.refused),
        code: codeChars > 0 ? head(code, codeChars) : undefined,
      });
    },
  }];
}

/** Facts of a refusal: its reason, and the option that its message names. */
function toRefusal(message: string): Facts {
  const option = /--[a-z][a-z-]*/.exec(message)?.[0];
  return { reason: head(message, LONGEST_REASON), option };
}

/** Characters of the reason of a refusal. */
export const LONGEST_REASON = 500;

/** The run, and the program that asked for it. */
function toOrigin({ id, client, session }: WatchedRun): Facts {
  return {
    id,
    caller: client.caller,
    mcp_session: client.mcpSession,
    client: client.name,
    client_version: client.version,
    traceparent: client.trace?.traceparent,
    request_id: client.requestId,
    session,
  };
}
