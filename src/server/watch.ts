import type { Facts } from "../protocol/log_lines.ts";
import type { Status } from "../protocol/run_result.ts";
import type { ServerSettings } from "../protocol/server_settings.ts";
import type {
  RunStatus,
  ServerStatus,
  Unready,
} from "../protocol/server_status.ts";
import { MIB } from "../units.ts";
import { Histogram } from "./histogram.ts";
import type { ScriptPools } from "./pool/script_pools.ts";
import type { RunEnd, RunWatcher, WatchedRun } from "./run_log.ts";
import { RefusedCalls } from "./series.ts";
import type { Shares } from "./shares.ts";
import type { BrokerLine } from "./broker_line.ts";
import type { Sessions } from "./sessions/sessions.ts";

/** Ended runs that are kept. */
const MOST_ENDED = 100;

export interface Watched {
  pools: Pick<
    ScriptPools,
    | ("environment" | "status" | "unready" | "installs" | "made" | "restarts")
    | "waits"
  >;
  sessions: Pick<Sessions, "status" | "figures" | "storeRoom">;
  shares: Shares;
  /** Has counts of lines that could not be written. */
  broker: Pick<BrokerLine, "unwritten">;
}

/** Live figures of a server, for its operator. */
export class Watch implements RunWatcher {
  /** Runs that have ended. */
  readonly runs: Partial<Record<Status, number>> = {};
  /** Calls of tools that code has made, by their outcome. */
  readonly toolCalls: Record<string, number> = {};
  /** Seconds of runs in a sandbox. */
  readonly runSeconds: Histogram = new Histogram();
  /** Seconds of calls before and after that. */
  readonly waitedSeconds: Histogram = new Histogram();
  /** Requests of HTTP that were answered, by route and status. */
  readonly requests = new Map<
    string,
    { route: string; status: string; count: number }
  >();
  /** Calls that were refused. */
  readonly refused: RefusedCalls = new RefusedCalls();
  /** Paths that are counted by their names; all others are one. */
  routes: readonly string[] = [];
  isEnding = false;
  /** In ms since 1970. */
  readonly started: number = Date.now();

  #underWay = new Set<WatchedRun>();
  /** The oldest first. */
  #ended: { run: WatchedRun; end: RunEnd }[] = [];

  constructor(
    readonly settings: ServerSettings,
    readonly watched: Watched,
  ) {}

  onStart(run: WatchedRun): void {
    this.#underWay.add(run);
  }

  onNote(_run: WatchedRun, event: string, { outcome }: Facts): void {
    if (event !== "call" || typeof outcome !== "string") return;
    this.toolCalls[outcome] = (this.toolCalls[outcome] ?? 0) + 1;
  }

  onEnd(run: WatchedRun, end: RunEnd): void {
    this.#underWay.delete(run);
    // The code is not kept.
    this.#ended.push({ run: { ...run, code: "" }, end });
    if (this.#ended.length > MOST_ENDED) this.#ended.shift();
    this.runs[end.status] = (this.runs[end.status] ?? 0) + 1;
    if (end.figures) this.runSeconds.add(end.wallMs / 1000);
    else this.refused.note(end.status);
    this.waitedSeconds.add(end.waitedMs / 1000);
  }

  /** @param route One of few. */
  noteRequest(route: string, status: number): void {
    if (route === this.settings.http?.httpPath) this.refused.note(status);
    const key = `${route} ${status}`;
    const known = this.requests.get(key);
    if (known) known.count++;
    else this.requests.set(key, { route, status: `${status}`, count: 1 });
  }

  /** Why calls cannot run; undefined if they can. */
  get unready(): Unready | undefined {
    return this.isEnding
      ? { state: "ending", reason: "The server ends." }
      : this.watched.pools.unready;
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  /** All that a caller may know: the runs of others are counted only. */
  snapshot(caller: string): ServerStatus {
    const { settings, unready } = this;
    const isOwn = ({ client }: WatchedRun) => client.caller === caller;
    const underWay = [...this.#underWay].filter(isOwn);
    const { allowNet, allowInstall, mounts, variables } = settings;
    const { environment } = this.watched.pools;
    const ended = this.#ended.toReversed().filter(({ run }) => isOwn(run));
    return {
      version: settings.version,
      now: new Date().toISOString(),
      started: new Date(this.started).toISOString(),
      unready,
      python: environment?.python,
      packages: (environment?.packages ?? [])
        .map(({ name, version }) => ({ name, version })),
      underWay: underWay.map((run) => toStatus(run)),
      othersUnderWay: this.#underWay.size - underWay.length,
      ended: ended.map(({ run, end }) => toStatus(run, end)),
      runs: this.runs,
      pool: this.watched.pools.status,
      sessions: this.watched.sessions.status,
      mcpSessions: this.watched.shares.mcpSessions.status.used,
      serverMiB: Math.round(Deno.memoryUsage().rss / MIB),
      limits: toLimits(settings),
      grants: {
        hosts: allowNet,
        installs: allowInstall,
        mounts,
        variables: Object.keys(variables),
      },
    };
  }
}

function toStatus(run: WatchedRun, end?: RunEnd): RunStatus {
  const { id, client, session, sessionName, codeBytes } = run;
  return {
    id,
    client: client.name,
    session,
    sessionName,
    started: new Date(run.started).toISOString(),
    codeBytes,
    status: end?.status,
    wallMs: end && Math.round(end.wallMs),
    waitedMs: end && Math.round(end.waitedMs),
    memoryMiB: end?.figures?.used?.memoryMiB,
  };
}

/** Limits by the names of their settings. */
function toLimits(settings: ServerSettings): Record<string, number> {
  const { pool, http } = settings;
  return {
    timeoutSeconds: settings.timeoutSeconds,
    maxTimeoutSeconds: settings.maxTimeoutSeconds,
    memoryMiB: settings.memoryMiB,
    pool: pool.ready,
    maxConcurrency: pool.running,
    maxQueue: pool.waiting,
    maxSessions: settings.maxSessions,
    maxSessionsMiB: settings.maxSessionsMiB,
    ...(http && {
      maxMcpSessions: http.maxMcpSessions,
      maxHttpConnections: http.maxHttpConnections,
      maxRequests: http.maxRequests,
      maxClientRate: http.maxClientRate,
    }),
  };
}
