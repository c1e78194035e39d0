import { fields } from "../protocol/fields.ts";
import type { Facts } from "../protocol/log_lines.ts";
import { nameOfSession } from "../protocol/server_status.ts";
import type { RunRequest } from "../protocol/run_messages.ts";
import type { RunResult, Status } from "../protocol/run_result.ts";
import { head } from "../results/cut.ts";
import { sha256 } from "../disk.ts";
import type { RunFigures } from "./pool/pool.ts";
import { toKey } from "./sessions/saved_sessions.ts";
import type { TraceContext } from "./trace_context.ts";

/** The program that asks for a run. */
export interface LoggedClient {
  name: string;
  version?: string;
  /** Its token's name; absent if it is not on HTTP. */
  caller?: string;
  /** Key of its MCP session; absent if it has none. */
  mcpSession?: string;
  /** The trace that its request is a part of. */
  trace?: TraceContext;
  /** The id that the client has given to its request. */
  requestId?: string | undefined;
}

/** Reads a client's description of itself. */
export function toClient(data: unknown): LoggedClient {
  const { name, version } = fields(data);
  return {
    name: typeof name === "string" ? head(name, LONGEST_NAME) : "unknown",
    ...(typeof version === "string"
      ? { version: head(version, LONGEST_NAME) }
      : {}),
  };
}

/** Characters of a client's name, and of its version. */
const LONGEST_NAME = 100;

/** A run, as all that watch runs know it. */
export interface WatchedRun {
  id: string;
  client: LoggedClient;
  started: number;
  code: string;
  codeBytes: number;
  /** The code's hash; empty if nothing that watches writes it down. */
  sha256: string;
  /** Key of its session. */
  session?: string;
  /** For its owner only. */
  sessionName?: string;
  /** The servers that it may call; undefined without code mode. */
  servers?: readonly string[];
  /** Its calls of tools, those that were refused among them. */
  calls?: number;
}

/** Takes the events of a run of code mode. */
export interface RunNotes {
  onServers(names: readonly string[]): void;
  /** @param event `call`, for a call of a tool, or another word. */
  note(event: string, facts: Facts): void;
}

/** The end of a run. */
export interface RunEnd {
  status: Status;
  /** Its time in a sandbox. */
  wallMs: number;
  /** The time before and after that. */
  waitedMs: number;
  /** Undefined if no sandbox had it to its end. */
  figures: RunFigures | undefined;
  files: number;
  fileBytes: number;
  /** Why its process serves no other run. */
  replaced: string | undefined;
  /** Why it is refused, if it found no place. */
  refused?: string | undefined;
}

/** Takes note of runs. */
export interface RunWatcher {
  /** Whether it needs the hash of code. */
  readonly needsHash?: boolean;
  onStart?(run: WatchedRun): void;
  /** Hears of something that has happened in the run. */
  onNote?(run: WatchedRun, event: string, facts: Facts): void;
  /** The `run` is the same object as at its start. */
  onEnd(run: WatchedRun, end: RunEnd): void;
}

/** Follows all runs of a server; those that watch hear of each. */
export class RunLog {
  /** Tells runs of servers apart that log into one file. */
  #server = crypto.randomUUID().slice(0, 8);
  #count = 0;
  #ids = new WeakMap<object, string>();
  #open = new Set<(status: Status, some?: Partial<RunEnd>) => void>();

  constructor(private watchers: readonly RunWatcher[]) {}

  /** Has one more hear of all runs from now on. */
  addWatcher(watcher: RunWatcher): void {
    this.watchers = [...this.watchers, watcher];
  }

  /**
   * The id of a call, which its run, its answer, and all lines about it have.
   *
   * @param request Of HTTP; it has the same id each time.
   */
  idOf(request: object = {}): string {
    const id = this.#ids.get(request) ?? `${this.#server}-${++this.#count}`;
    this.#ids.set(request, id);
    return id;
  }

  /** Notes that a request is about a call that another request began. */
  continue(request: object, id: string): void {
    this.#ids.set(request, id);
  }

  /** Whether a request is a call. */
  hasId(request: object): boolean {
    return this.#ids.has(request);
  }

  /**
   * Follows a run, which `start` gives the result of.
   *
   * @param start Tells the figures of the run, the handle of its session, and
   * what happens in it.
   */
  async follow(
    { code }: RunRequest,
    client: LoggedClient,
    start: (
      onEnd: (figures: RunFigures) => void,
      onSession: (handle: string) => void,
      notes: RunNotes,
    ) => Promise<RunResult>,
    id: string = this.idOf(),
  ): Promise<RunResult> {
    if (this.watchers.length === 0) {
      return await start(() => {}, () => {}, NO_NOTES);
    }
    const needsHash = this.watchers.some(({ needsHash }) => needsHash);
    const described = describeCode(code, needsHash);
    const run: WatchedRun = { id, client, started: Date.now(), ...described };
    const since = performance.now();
    let figures: RunFigures | undefined;
    const end = (status: Status, some: Partial<RunEnd> = {}) => {
      if (!this.#open.delete(end)) return;
      const wallMs = figures?.wallMs ?? 0;
      const waitedMs = performance.now() - since - wallMs;
      const { replaced } = figures ?? {};
      const rest = { figures, files: 0, fileBytes: 0, replaced, ...some };
      this.#tell((one) =>
        one.onEnd(run, { status, wallMs, waitedMs, ...rest })
      );
    };
    this.#open.add(end);
    this.#tell((one) => one.onStart?.(run));
    try {
      const result = await start((taken) => figures = taken, (handle) => {
        run.session = toKey(handle);
        run.sessionName = nameOfSession(handle);
      }, this.#toNotes(run));
      const refused = result.status === "busy" ? result.error : undefined;
      end(result.status, { ...describeFiles(result), refused });
      return result;
    } finally {
      // A fault of ours.
      end("crashed");
    }
  }

  /** Ends the runs under way, for a reason that all watchers get. */
  close(replaced: string, status: Status = "cancelled"): void {
    for (const end of this.#open) end(status, { replaced });
  }

  #toNotes(run: WatchedRun): RunNotes {
    return {
      onServers(names) {
        run.servers = names;
        run.calls = 0;
      },
      note: (event, facts) => {
        if (event === "call") run.calls = (run.calls ?? 0) + 1;
        this.#tell((one) => one.onNote?.(run, event, facts));
      },
    };
  }

  #tell(say: (watcher: RunWatcher) => void): void {
    for (const watcher of this.watchers) say(watcher);
  }
}

const NO_NOTES: RunNotes = { onServers() {}, note() {} };

function describeCode(
  code: string,
  needsHash: boolean,
): Pick<WatchedRun, "code" | "codeBytes" | "sha256"> {
  const bytes = new TextEncoder().encode(code);
  const hash = needsHash ? sha256(bytes) : "";
  return { code, codeBytes: bytes.length, sha256: hash };
}

function describeFiles(
  { written = [] }: RunResult,
): Pick<RunEnd, "files" | "fileBytes"> {
  return {
    files: written.length,
    fileBytes: written.reduce((sum, { bytes }) => sum + bytes.length, 0),
  };
}
