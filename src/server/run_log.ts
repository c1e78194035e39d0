import { fields } from "../protocol/fields.ts";
import type { Facts, Log } from "../protocol/log_lines.ts";
import type { RunRequest } from "../protocol/run_messages.ts";
import type { RunResult, Status } from "../protocol/run_result.ts";
import { head } from "../results/cut.ts";
import type { RunFigures } from "./pool/pool.ts";
import { toKey } from "./sessions/session_key.ts";

/** The program that asks for a run. */
export interface LoggedClient {
  name: string;
  version?: string;
}

/** Reads a client's description of itself. */
export function toClient(data: unknown): LoggedClient {
  const { name, version } = fields(data);
  return {
    name: typeof name === "string" ? name : "unknown",
    ...(typeof version === "string" ? { version } : {}),
  };
}

/** Characters of the code of a run that are logged. */
const MOST_CODE_LOGGED = 100_000;
/** Characters of a client's name, and of its version. */
const LONGEST_NAME = 100;

/** Logs a line for each run, at its end. */
export class RunLog {
  /** Tells runs of servers apart that log into one file. */
  #server = crypto.randomUUID().slice(0, 8);
  #count = 0;
  #open = new Set<End>();

  constructor(
    private log: Log,
    private settings: { logCode: boolean },
  ) {}

  /**
   * Logs a run, which `start` gives the result of.
   *
   * @param start Tells the figures of the run, and the handle of its session.
   */
  async follow(
    { code }: RunRequest,
    client: LoggedClient,
    start: (
      onEnd: (figures: RunFigures) => void,
      onSession: (handle: string) => void,
    ) => Promise<RunResult>,
  ): Promise<RunResult> {
    if (!this.log.takes("info")) return await start(() => {}, () => {});
    const id = `${this.#server}-${++this.#count}`;
    const described = await describeCode(code);
    const since = performance.now();
    let figures: RunFigures | undefined;
    let session: string | undefined;
    let keyed: Promise<void> | undefined;
    const end: End = (status, more) => {
      if (!this.#open.delete(end)) return;
      this.log.write("info", "run", {
        id,
        client: head(client.name, LONGEST_NAME),
        client_version: client.version && head(client.version, LONGEST_NAME),
        session,
        status,
        ...described,
        ...describeTimes(performance.now() - since, figures),
        ...more,
        code: this.settings.logCode ? head(code, MOST_CODE_LOGGED) : undefined,
      });
    };
    this.#open.add(end);
    const result = await start((taken) => figures = taken, (handle) => {
      keyed = toKey(handle).then((key) => void (session = key));
    });
    await keyed;
    end(result.status, {
      ...describeUsage(figures),
      ...describeFiles(result),
    });
    return result;
  }

  /** Logs the runs that have not ended: their client is gone. */
  close(): void {
    for (const end of this.#open) {
      end("cancelled", { replaced: "the client is gone" });
    }
  }
}

type End = (status: Status, more: Facts) => void;

async function describeCode(code: string): Promise<Facts> {
  const bytes = new TextEncoder().encode(code);
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return {
    code_bytes: bytes.length,
    code_sha256: new Uint8Array(hash, 0, 8).toHex(),
  };
}

/** Its time in a sandbox, and the time before and after that. */
function describeTimes(passedMs: number, figures?: RunFigures): Facts {
  const wallMs = figures?.wallMs ?? 0;
  return {
    wall_ms: Math.round(wallMs),
    waited_ms: Math.round(passedMs - wallMs),
  };
}

function describeUsage(figures?: RunFigures): Facts {
  const { used, replaced } = figures ?? {};
  return {
    cpu_ms: used?.cpuMs,
    memory_mib: used?.memoryMiB,
    hosts: used?.hosts,
    replaced,
  };
}

function describeFiles({ written = [] }: RunResult): Facts {
  return {
    files: written.length,
    file_bytes: written.reduce((sum, { bytes }) => sum + bytes.length, 0),
  };
}
