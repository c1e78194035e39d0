import { CLIENT_INFO_META_KEY, Server } from "../../deps/mcp_server.ts";
import type { ServerSettings } from "../protocol/server_settings.ts";
import { fields } from "../protocol/fields.ts";
import { head } from "../results/cut.ts";
import { CallsUnderWay } from "./calls_under_way.ts";
import type { ClientSide } from "./broker_line.ts";
import type { Contract, RunCode } from "./contracts/contract.ts";
import { openContracts } from "./contracts/contracts.ts";
import { invalidParams } from "./error_codes.ts";
import {
  ConnectionFiles,
  type FileStores,
  openFileStores,
} from "./files/connection_files.ts";
import { serveResources } from "./files/resources.ts";
import { fitAnswer } from "./fit_answer.ts";
import { LogMessages } from "./live/log_messages.ts";
import type { ScriptPools } from "./pool/script_pools.ts";
import { type CallContext, runForCall } from "./run_for_call.ts";
import { forAudit, forLog, runLines } from "./run_lines.ts";
import { type LoggedClient, RunLog, toClient } from "./run_log.ts";
import type { Owner } from "./sessions/kept_session.ts";
import { SavedSessions } from "./sessions/saved_sessions.ts";
import { BrokerStore } from "./sessions/session_store.ts";
import type { ReadableSessions } from "./sessions/session_resource.ts";
import { toKey } from "./sessions/session_key.ts";
import { Sessions } from "./sessions/sessions.ts";
import { readTrace } from "./trace_context.ts";

/** Connections whose contracts are kept for their next request. */
const MOST_KEPT = 200;

export type McpPools = Pick<
  ScriptPools,
  "find" | "environment" | "onInstalled"
>;

/** All that MCP servers share: sessions, files, contracts, logs of runs. */
export class McpHost {
  readonly sessions: Sessions;
  readonly runs: RunLog;
  readonly calls: CallsUnderWay = new CallsUnderWay();
  /** Told the name of an owner that has new files or sessions. */
  onResourcesChanged: (owner: string) => void = () => {};
  #files: FileStores;
  /** By connection, the last used one last. */
  #contracts = new Map<string, readonly Contract[]>();
  #settings: ServerSettings;
  #ending = new AbortController();

  constructor(
    broker: Pick<ClientSide, "log" | "audit" | "askStore" | "noteFault">,
    pools: McpPools,
    settings: ServerSettings,
  ) {
    this.#settings = {
      ...settings,
      get environment() {
        return pools.environment;
      },
    };
    const saved = settings.savesSessions
      ? new SavedSessions(new BrokerStore(broker), () => pools.environment?.id)
      : undefined;
    this.sessions = new Sessions(pools, settings, broker.log, saved);
    this.#files = openFileStores(settings);
    this.runs = new RunLog([
      ...runLines(broker.log, forLog(settings)),
      ...runLines(broker.audit, forAudit(settings)),
    ]);
    broker.noteFault = () =>
      this.runs.close("a fault of the server", "crashed");
  }

  /** Has OpenTelemetry hear of all runs, if the user asks for it. */
  async addTelemetry(): Promise<void> {
    if (!this.#settings.telemetry) return;
    const { Telemetry } = await import("./telemetry.ts");
    this.runs.addWatcher(new Telemetry(this.#settings));
  }

  /** Cancels the runs under way; their calls are answered. */
  cancelRuns(): void {
    this.#ending.abort();
  }

  /** Creates an MCP server, for a connection or a request. */
  createServer(owner: Owner): Server {
    return createServer(this.#settings, this.#contractsOf(owner), {
      ...{ sessions: this.sessions, owner, files: this.#filesOf(owner) },
      ...{ runs: this.runs, calls: this.calls },
      ending: this.#ending.signal,
      tellResourcesChanged: () => this.onResourcesChanged(owner.name),
    });
  }

  #filesOf({ name }: Owner): ConnectionFiles {
    return new ConnectionFiles(this.#settings, name, this.#files);
  }

  #contractsOf(owner: Owner): readonly Contract[] {
    const key = JSON.stringify([owner.name, owner.connection]);
    const contracts = this.#contracts.get(key) ?? openContracts({
      ...{ settings: this.#settings, files: this.#filesOf(owner) },
      ...{ sessions: this.sessions, owner },
    });
    this.#contracts.delete(key);
    this.#contracts.set(key, contracts);
    const [oldest] = this.#contracts.keys();
    if (this.#contracts.size > MOST_KEPT && oldest !== undefined) {
      this.#contracts.delete(oldest);
    }
    return contracts;
  }
}

function toCaller(
  { name: caller, connection }: Owner,
): Pick<LoggedClient, "caller" | "mcpSession"> {
  if (connection === undefined || connection === caller) return { caller };
  return { caller, mcpSession: toKey(connection).slice(0, 8) };
}

function createServer(
  settings: ServerSettings,
  contracts: readonly Contract[],
  shared:
    & Omit<CallContext, "logMessages" | "mcpReq" | "client">
    & ReadableSessions
    & { calls: CallsUnderWay },
): Server {
  const instructions = contracts.flatMap((one) => one.instructions ?? []);
  const server = new Server(
    {
      name: "mcp-run-python",
      title: "Run Python",
      version: settings.version,
    },
    {
      capabilities: {
        tools: { listChanged: true },
        logging: {},
        resources: { listChanged: true },
      },
      instructions: instructions.join("\n\n"),
    },
  );
  const logMessages = new LogMessages();
  server.setRequestHandler("logging/setLevel", ({ params }) => {
    logMessages.setLevel(params.level);
    return {};
  });
  serveResources(server, shared.files, { ...shared, settings });
  server.setRequestHandler("tools/list", () => ({
    tools: contracts.map((contract) => contract.tool()),
  }));
  server.setRequestHandler(
    "tools/call",
    async ({ params }, { mcpReq, http }) => {
      using _call = shared.calls.enter(shared.owner, http?.req);
      const contract = contracts.find(({ name }) => name === params.name);
      if (!contract) {
        const names = contracts.map(({ name }) => `"${name}"`).join(", ");
        throw invalidParams(
          `Unknown tool "${head(params.name, 100)}": this server has ${names}`,
        );
      }
      // A client of 2025 has named itself once, a later one does with each request.
      const client = {
        ...toClient(
          fields(mcpReq.envelope)[CLIENT_INFO_META_KEY] ??
            server.getClientVersion(),
        ),
        ...settings.http ? toCaller(shared.owner) : {},
        ...settings.telemetry
          ? { trace: readTrace(mcpReq._meta, http?.req?.headers) }
          : {},
      };
      const run: RunCode = (code) =>
        runForCall(code, { ...shared, logMessages, mcpReq, client });
      return fitAnswer(await contract.call(params.arguments, run));
    },
  );
  return server;
}
