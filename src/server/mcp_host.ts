import { USUAL_OUTPUT } from "../protocol/bounds.ts";
import { toCallWaitMs, toRunSetup } from "./to_run_setup.ts";
import type { Server } from "../../deps/mcp_server.ts";
import type { ServerSettings } from "../protocol/server_settings.ts";
import type { ClientSide } from "./broker_line.ts";
import { CallsUnderWay, type WaitLimit } from "./calls_under_way.ts";
import { Approvals } from "./code_mode/approvals.ts";
import type { Contract } from "./contracts/contract.ts";
import { CodeMode, type CodeModeParts } from "./code_mode/code_mode.ts";
import { Components } from "./components/components.ts";
import { Contracts } from "./contracts/contracts.ts";
import { createServer } from "./create_server.ts";
import {
  ConnectionFiles,
  type FileStores,
  openFileStores,
} from "./files/connection_files.ts";
import { openKeeper } from "./keeper.ts";
import { LastingCalls } from "./lasting/lasting_calls.ts";
import { describeWaited } from "./pool/pool.ts";
import type { Pools, ScriptPools } from "./pool/script_pools.ts";
import { forAudit, forLog, runLines } from "./run_lines.ts";
import { Reads } from "./reads.ts";
import { RunLog } from "./run_log.ts";
import type { Owner } from "./sessions/kept_session.ts";
import { SavedSessions } from "./sessions/saved_sessions.ts";
import { openShares, type Shares } from "./shares.ts";
import { Sessions } from "./sessions/sessions.ts";

/** Connections whose contracts are kept for their next request. */
const MOST_KEPT = 200;

/**
 * Calls of an MCP session go on without their client, so that those of HTTP have a
 * bound: above the 50 s after which a call that waits for an install is told of it, and
 * below the 60 s after which the official clients give a call up.
 */
const HTTP_WAIT_SECONDS = 55;

export type McpPools =
  & Pools
  & Pick<ScriptPools, "onInstalled" | "shares" | "retrySeconds">;

/** All that MCP servers share: sessions, files, contracts, logs of runs. */
export class McpHost {
  readonly sessions: Sessions;
  readonly runs: RunLog;
  readonly calls: CallsUnderWay = new CallsUnderWay();
  readonly shares: Shares;
  readonly reads: Reads = new Reads();
  readonly lasting: LastingCalls;
  /** Told the name of an owner that has new files or sessions. */
  onResourcesChanged: (owner: string) => void = () => {};
  /** Told when there are other tools, or a tool says something else. */
  onToolsChanged: () => void = () => {};
  #approvals = new Approvals();
  #files: FileStores;
  #codeMode: CodeMode | undefined;
  #components: Components | undefined;
  /** By connection, the last used one last. */
  #opened = new Map<string, readonly Contract[]>();
  #ending = new AbortController();

  constructor(
    broker: Pick<ClientSide, "log" | "audit" | "spawn" | "noteFault">,
    private pools: McpPools,
    private settings: ServerSettings,
    parts?: CodeModeParts,
    private contracts: Contracts = new Contracts(),
  ) {
    this.shares = openShares(settings, {
      ...pools.shares,
      ...(parts?.drafts ? { drafts: parts.drafts } : {}),
    });
    this.#codeMode = parts && new CodeMode(parts);
    const { components } = settings.codeMode ? {} : { ...parts };
    this.#components = components &&
      new Components(components, broker.log, this.shares);
    if (this.#components) {
      this.#components.onChanged = () => this.onToolsChanged();
    }
    contracts.onChanged = pools.onInstalled = () => {
      this.#opened.clear();
      this.onToolsChanged();
    };
    const saved = settings.savesSessions
      ? new SavedSessions(openKeeper(broker, "sessions"), {
        environment: () => pools.environment?.id,
        log: broker.log,
        name: settings.serverName ?? "another server",
      })
      : undefined;
    this.sessions = new Sessions(
      ...[pools, settings, broker.log, saved] as const,
      this.shares,
    );
    this.#files = openFileStores(this.shares, settings.http?.serverName);
    this.lasting = new LastingCalls({
      callWaitMs: toCallWaitMs(settings),
      keptMs: settings.keepResultsSeconds * 1000,
      ...settings.detachAfterSeconds === undefined
        ? {}
        : { detachAfterMs: settings.detachAfterSeconds * 1000 },
      maxOutput: settings.maxOutput ?? USUAL_OUTPUT,
      mostLive: Math.ceil((toRunSetup(settings).maxOutput ?? Infinity) / 2),
      longRuns: settings.longRuns,
      server: settings.http?.serverName,
    }, this.shares);
    this.runs = new RunLog([
      ...runLines(broker.log, forLog(settings)),
      ...runLines(broker.audit, forAudit(settings)),
    ]);
    broker.noteFault = () =>
      this.runs.close("a fault of the server", "crashed");
  }

  /** Has OpenTelemetry hear of all runs, if the user asks for it. */
  async addTelemetry(): Promise<void> {
    if (!this.settings.telemetry) return;
    const { Telemetry } = await import("./telemetry.ts");
    this.runs.addWatcher(new Telemetry(this.settings));
  }

  /** Cancels the runs under way; their calls are answered. */
  cancelRuns(): void {
    this.#ending.abort();
  }

  /** Creates an MCP server, for a connection or a request. */
  createServer(owner: Owner): Server {
    return createServer(this.settings, () => this.#contractsOf(owner), {
      packages: () => this.pools.environment?.packages ?? [],
      sessions: this.sessions,
      owner,
      files: this.#filesOf(owner),
      runs: this.runs,
      calls: this.calls,
      reads: this.reads,
      codeMode: this.#codeMode,
      ...(this.#components ? { components: this.#components } : {}),
      approvals: this.#approvals,
      lasting: this.lasting,
      ending: this.#ending.signal,
      waitLimit: this.#waitLimit,
      tellResourcesChanged: () => this.onResourcesChanged(owner.name),
    });
  }

  get #waitLimit(): WaitLimit | undefined {
    const { http, maxWaitSeconds = http && HTTP_WAIT_SECONDS } = this.settings;
    return maxWaitSeconds === undefined ? undefined : {
      ms: maxWaitSeconds * 1000,
      isOfRequest: this.settings.maxWaitSeconds === undefined,
      describe: () => describeWaited(maxWaitSeconds, this.pools.retrySeconds),
    };
  }

  #filesOf({ name }: Owner): ConnectionFiles {
    return new ConnectionFiles(this.settings, name, this.#files);
  }

  #contractsOf(owner: Owner): readonly Contract[] {
    const key = JSON.stringify([owner.name, owner.connection]);
    const { environment } = this.pools;
    const contracts = this.#opened.get(key) ?? this.contracts.open({
      settings: { ...this.settings, environment },
      files: this.#filesOf(owner),
      sessions: this.sessions,
      owner,
      codeMode: this.settings.codeMode ? this.#codeMode : undefined,
    });
    this.#opened.delete(key);
    this.#opened.set(key, contracts);
    const [oldest] = this.#opened.keys();
    if (this.#opened.size > MOST_KEPT && oldest !== undefined) {
      this.#opened.delete(oldest);
    }
    return contracts;
  }
}
