import type { Log } from "../protocol/log_lines.ts";
import { head } from "../results/cut.ts";
import type { RunWatcher } from "./run_log.ts";

/** Characters of the code of a run that are logged. */
const MOST_CODE_LOGGED = 100_000;
/** Digits of the code's hash that are logged. */
const HASH_DIGITS = 16;

/** Logs a line for each run, at its end; nothing if such lines are not wanted. */
export function runLines(
  log: Log,
  { logCode }: { logCode: boolean },
): RunWatcher[] {
  if (!log.takes("info")) return [];
  return [{
    needsHash: true,
    onEnd({ id, client, session, code, codeBytes, sha256 }, end) {
      const { used } = end.figures ?? {};
      log.write("info", "run", {
        ...{ id, caller: client.caller, mcp_session: client.mcpSession },
        ...{ client: client.name, client_version: client.version, session },
        status: end.status,
        code_bytes: codeBytes,
        code_sha256: sha256.slice(0, HASH_DIGITS),
        wall_ms: Math.round(end.wallMs),
        waited_ms: Math.round(end.waitedMs),
        ...{ cpu_ms: used?.cpuMs, memory_mib: used?.memoryMiB },
        hosts: used?.hosts,
        ...{ files: end.files, file_bytes: end.fileBytes },
        replaced: end.replaced,
        code: logCode ? head(code, MOST_CODE_LOGGED) : undefined,
      });
    },
  }];
}
