import {
  CLIENT_INFO_META_KEY,
  type Server,
  type ServerContext,
} from "../../deps/mcp_server.ts";
import { fields } from "../protocol/fields.ts";
import type { ServerSettings } from "../protocol/server_settings.ts";
import { SERVER_NAME } from "../protocol/whole_values.ts";
import { head } from "../results/cut.ts";
import type { CallsUnderWay } from "./calls_under_way.ts";
import { declares, UI_EXTENSION } from "./client_capabilities.ts";
import { nearestNames } from "../catalog/nearest.ts";
import { showNames } from "./code_mode/find_downstream.ts";
import type { Components } from "./components/components.ts";
import { serveClientSide } from "./components/client_side.ts";
import type { CallTool, Contract, RunCode } from "./contracts/contract.ts";
import { invalidParams, RUN } from "./error_codes.ts";
import { fitAnswer } from "./fit_answer.ts";
import { APPS, withApp } from "./files/app_resource.ts";
import { type PackagesToRead, serveResources } from "./files/resources.ts";
import type { AnswerCall } from "./lasting/lasting_call.ts";
import type { LastingCalls } from "./lasting/lasting_calls.ts";
import { LogMessages } from "./live/log_messages.ts";
import type { Reads } from "./reads.ts";
import { type CallContext, runForCall } from "./run_for_call.ts";
import { type LoggedClient, toClient } from "./run_log.ts";
import type { Owner } from "./sessions/kept_session.ts";
import type { ReadableSessions } from "./sessions/session_resource.ts";
import { toKey } from "./sessions/saved_sessions.ts";
import {
  maybeTask,
  serveTasks,
  TASK_CAPABILITIES,
} from "./tasks/serve_tasks.ts";
import { TaskServer } from "./tasks/task_server.ts";
import { readRequestId, readTrace } from "./trace_context.ts";

/** Creates an MCP server, for a connection or a request. */
export function createServer(
  settings: ServerSettings,
  contracts: () => readonly Contract[],
  shared:
    & Omit<
      CallContext,
      | "place"
      | "logMessages"
      | "mcpReq"
      | "asking"
      | "client"
      | "id"
      | "showsPages"
    >
    & ReadableSessions
    & PackagesToRead
    & {
      calls: CallsUnderWay;
      lasting: LastingCalls;
      reads: Reads;
      /** Absent without components, and in code mode. */
      components?: Components;
    },
): Server {
  const instructions = contracts().flatMap((one) => one.instructions ?? []);
  const own = shared.lasting.open(shared.owner);
  const server = new TaskServer(
    {
      name: SERVER_NAME,
      title: "Run Python",
      version: settings.version,
    },
    {
      capabilities: {
        tools: { listChanged: true },
        logging: {},
        resources: { listChanged: true },
        ...(shared.components ? { prompts: {} } : {}),
        ...TASK_CAPABILITIES,
        extensions: { ...TASK_CAPABILITIES.extensions, ...APPS },
      },
      instructions: instructions.join("\n\n"),
      requestState: { verify: own.verify },
    },
  );
  const logMessages = new LogMessages();
  server.setRequestHandler("logging/setLevel", ({ params }) => {
    logMessages.setLevel(params.level);
    return {};
  });
  serveTasks(server, own);
  serveResources(server, shared.files, { ...shared, settings });
  if (shared.components) {
    serveClientSide(server, shared.components, shared.owner);
  }
  const all = async () => [
    ...contracts(),
    ...await shared.components?.contracts() ?? [],
  ];
  server.setRequestHandler("tools/list", async (_, { mcpReq }) => {
    const tools = (await all()).map((contract) => contract.tool());
    const known = server.getClientCapabilities();
    const showsApps = declares(UI_EXTENSION, mcpReq.envelope, known);
    return { tools: showsApps ? tools.map(withApp) : tools };
  });
  server.setRequestHandler(
    "tools/call",
    async ({ params }, context: ServerContext) => {
      const { mcpReq, http } = context;
      using place = shared.calls.enter(shared.owner, http?.req);
      const id = shared.runs.idOf(http?.req);
      const named = ({ name }: Contract) => name === params.name;
      const { components } = shared;
      const first = contracts().find(named) ?? components?.known.find(named);
      const known = first ? [first] : await all();
      const contract = known.find(named);
      if (!contract) {
        const names = known.map(({ name }) => name);
        const near = nearestNames(head(params.name, 100), names);
        const shown = showNames([...new Set([...near, ...names])]);
        throw invalidParams(
          `Unknown tool "${head(params.name, 100)}": this server has ${shown}`,
          { [RUN]: id },
        );
      }
      const capabilities = server.getClientCapabilities();
      const toRunning = "toRunning" in contract
        ? contract.toRunning
        : undefined;
      const task = await maybeTask(server, context, params, {
        isAble: toRunning !== undefined,
        afterMs: settings.taskAfterSeconds * 1000,
        meta: { [RUN]: id },
      });
      if ("watch" in contract) {
        const watched = contract.watch(params.arguments);
        return "content" in watched
          ? watched
          : await own.watch(context, capabilities, watched);
      }
      // A client of 2025 has named itself once, a later one does with each request.
      const client = {
        ...toClient(
          fields(mcpReq.envelope)[CLIENT_INFO_META_KEY] ??
            server.getClientVersion(),
        ),
        ...settings.http ? describeOwner(shared.owner) : {},
        trace: readTrace(mcpReq._meta, http?.req?.headers),
        requestId: readRequestId(http?.req?.headers),
      };
      const showsPages = declares(UI_EXTENSION, mcpReq.envelope, capabilities);
      const answer: AnswerCall = async (mcpReq, asking) => {
        const context = {
          ...shared,
          ...{ place, mcpReq, asking, client, id, showsPages },
        };
        const run: RunCode = (code) =>
          runForCall(code, { ...context, logMessages });
        const callTool: CallTool | undefined = components &&
          ((call) => components.call(call, context));
        const told = fitAnswer(
          await contract.call(params.arguments, run, callTool),
        );
        return { ...told, _meta: { ...told._meta, [RUN]: id } };
      };
      const told = await own.answer(context, capabilities, {
        answer,
        ...{ toRunning, task },
        onDetached: (over) => place.outlive(over),
      });
      const { [RUN]: its } = fields(told._meta);
      // The answer to a user's words is that of the call that asked.
      if (http?.req && typeof its === "string") {
        shared.runs.continue(http.req, its);
      }
      return told;
    },
  );
  return server;
}

function describeOwner(
  { name: caller, connection }: Owner,
): Pick<LoggedClient, "caller" | "mcpSession"> {
  if (connection === undefined || connection === caller) return { caller };
  return { caller, mcpSession: toKey(connection).slice(0, 8) };
}
