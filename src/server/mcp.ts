import {
  CLIENT_INFO_META_KEY,
  Server,
  serveStdio,
} from "../../deps/mcp_server.ts";
import type { ServerSettings } from "../protocol/server_settings.ts";
import { fields } from "../protocol/fields.ts";
import { head } from "../results/cut.ts";
import type { ClientSide } from "./broker_line.ts";
import type { Contract, RunCode } from "./contracts/contract.ts";
import { openContracts } from "./contracts/contracts.ts";
import { invalidParams } from "./error_codes.ts";
import { ConnectionFiles } from "./files/connection_files.ts";
import { serveResources } from "./files/resources.ts";
import { fitAnswer } from "./fit_answer.ts";
import { LogMessages } from "./live/log_messages.ts";
import type { ScriptPools } from "./pool/script_pools.ts";
import { type CallContext, runForCall } from "./run_for_call.ts";
import { RunLog, toClient } from "./run_log.ts";
import { SavedSessions } from "./sessions/saved_sessions.ts";
import { BrokerStore } from "./sessions/session_store.ts";
import type { ReadableSessions } from "./sessions/session_resource.ts";
import { Sessions } from "./sessions/sessions.ts";
import { StdioTransport } from "./transports/stdio.ts";

/** The only client there is. */
const OWNER = "stdio";

/** Serves MCP, both eras, until the client is gone. */
export async function serveMcp(
  broker: ClientSide,
  pools: Pick<ScriptPools, "find" | "environment" | "onInstalled">,
  settings: ServerSettings,
): Promise<void> {
  const closed = Promise.withResolvers<void>();
  const files = new ConnectionFiles(settings);
  const live: ServerSettings = {
    ...settings,
    get environment() {
      return pools.environment;
    },
  };
  const { log } = broker;
  const saved = settings.savesSessions
    ? new SavedSessions(new BrokerStore(broker), () => pools.environment?.id)
    : undefined;
  const sessions = new Sessions(pools, settings, log, saved);
  if (saved) broker.onShutdown = () => sessions.close();
  const contracts = openContracts({
    ...{ settings: live, files, sessions, owner: OWNER },
  });
  const runs = new RunLog(log, settings);
  let server: Server | undefined;
  pools.onInstalled = () => server?.sendToolListChanged().catch(() => {});
  const create = () =>
    server = createServer(live, contracts, {
      ...{ sessions, owner: OWNER, files, runs },
    });
  serveStdio(create, {
    transport: new StdioTransport(broker, closed.resolve),
    onerror: ({ message }) =>
      log.write("warning", "client", { error: head(message, 1000) }),
  });
  await closed.promise;
  runs.close();
}

/** Creates an MCP server, for a connection or a request. */
function createServer(
  settings: ServerSettings,
  contracts: readonly Contract[],
  shared:
    & Pick<CallContext, "sessions" | "owner" | "files" | "runs">
    & ReadableSessions,
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
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const contract = contracts.find(({ name }) => name === params.name);
    if (!contract) {
      const names = contracts.map(({ name }) => `"${name}"`).join(", ");
      throw invalidParams(
        `Unknown tool "${head(params.name, 100)}": this server has ${names}`,
      );
    }
    // A client of 2025 has named itself once, a later one does with each request.
    const client = toClient(
      fields(mcpReq.envelope)[CLIENT_INFO_META_KEY] ??
        server.getClientVersion(),
    );
    const context = { ...shared, logMessages, server, mcpReq, client };
    const run: RunCode = (code) => runForCall(code, context);
    return fitAnswer(await contract.call(params.arguments, run));
  });
  return server;
}
