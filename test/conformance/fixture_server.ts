import {
  acceptedContent,
  inputRequired,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
} from "../../deps/mcp_server.ts";
import { parseArguments } from "../../src/cli/arguments.ts";
import { toHttpSettings } from "../../src/launcher/http_settings.ts";
import type { Listener } from "../../src/server/transports/http/listener/listener.ts";
import { invalidParams } from "../../src/server/error_codes.ts";
import { LastingCalls } from "../../src/server/lasting/lasting_calls.ts";
import type { OwnCalls, Told } from "../../src/server/lasting/own_calls.ts";
import { openShares } from "../../src/server/shares.ts";
import {
  maybeTask,
  serveTasks,
  TASK_CAPABILITIES,
} from "../../src/server/tasks/serve_tasks.ts";
import { TaskServer } from "../../src/server/tasks/task_server.ts";
import { demandTasks } from "../../src/server/tasks/tasks_2026.ts";
import { hostMcp } from "../support/host_mcp.ts";
import { machine } from "../support/machine.ts";
import { SERVER_SETTINGS } from "../support/request.ts";
import {
  ask,
  embedded,
  type FixtureTool,
  IMAGE,
  PNG,
  stateSeal,
  TOOLS,
} from "./fixture_tools.ts";
import { TASK_TOOLS, type TaskTool } from "./task_tools.ts";

/**
 * Serves all that the suite asks for, by the product's own code for HTTP: only
 * the tools, prompts and resources are others.
 */
export async function startFixture(): Promise<Listener> {
  const args = ["--port", "0", "streamable-http"];
  const invocation = await parseArguments(args, {}, machine({}));
  if (invocation.command === "print") throw new TypeError(invocation.text);
  const http = await toHttpSettings(invocation.settings, false);
  const lasting = new LastingCalls({
    ...{ callWaitMs: 60_000, keptMs: 60_000 },
    ...{ maxOutput: 1000, longRuns: false },
  }, openShares(SERVER_SETTINGS));
  return await hostMcp(
    http,
    (tell, owner) => createServer(tell, lasting.open(owner)),
  );
}

function createServer(tellToolsChanged: () => void, own: OwnCalls): Server {
  const server = new TaskServer({ name: "conformance", version: "1" }, {
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true },
      prompts: {},
      logging: {},
      completions: {},
      ...TASK_CAPABILITIES,
    },
    requestState: {
      verify: (state, context) =>
        own.verify(state, context)
          .catch(() => stateSeal.verify(state, context)),
    },
  });
  const tools: Record<string, FixtureTool> = {
    ...TOOLS,
    "test_trigger_tool_change": {
      call() {
        tellToolsChanged();
        return { content: [] };
      },
    },
  };
  server.setRequestHandler("tools/list", () => ({
    tools: [
      ...Object.entries(tools).map(([name, { inputSchema }]) => ({
        ...{ name, description: name },
        inputSchema: inputSchema ?? { type: "object" as const },
      })),
      ...Object.keys(TASK_TOOLS).map((name) => ({
        ...{ name, description: name },
        inputSchema: { type: "object" as const },
        execution: { taskSupport: "optional" as const },
      })),
    ],
  }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const taskTool = TASK_TOOLS[params.name];
    if (taskTool) return await callAsTask(taskTool, params, context);
    const tool = tools[params.name];
    if (!tool) throw invalidParams(`Unknown tool ${params.name}`);
    return await tool.call(context, params.arguments ?? {});
  });
  serveTasks(server, own);
  serveResources(server);
  servePrompts(server);
  server.setRequestHandler("logging/setLevel", () => ({}));
  server.setRequestHandler("completion/complete", () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
  return server;

  async function callAsTask(
    { run, afterMs = 0, needsTasks }: TaskTool,
    params: { task?: unknown; arguments?: Record<string, unknown> | undefined },
    context: ServerContext,
  ): Promise<Told> {
    if (needsTasks) await demandTasks(context.mcpReq);
    return await own.answer(context, server.getClientCapabilities(), {
      answer: async ({ signal }, asking) =>
        await run(params.arguments ?? {}, { signal, asking }),
      task: await maybeTask(server, context, params, { isAble: true, afterMs }),
      onDetached() {},
    });
  }
}

const TEXTS = ["test://static-text", "test://watched-resource"];
const PIXEL = "test://static-binary";

function serveResources(server: Server): void {
  server.setRequestHandler("resources/list", () => ({
    resources: [...TEXTS, PIXEL].map((uri) => ({ uri, name: uri })),
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [
      { name: "template", uriTemplate: "test://template/{id}/data" },
    ],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    const [, id] = /^test:\/\/template\/(\w+)\/data$/.exec(uri) ?? [];
    if (uri === PIXEL) {
      return { contents: [{ uri, mimeType: "image/png", blob: PNG }] };
    }
    if (id === undefined && !TEXTS.includes(uri)) {
      throw new ResourceNotFoundError(uri);
    }
    return { contents: [{ uri, mimeType: "text/plain", text: `Data: ${id}` }] };
  });
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
}

/** Arguments by name of a prompt. */
const PROMPTS: Record<string, string[]> = {
  "test_simple_prompt": [],
  "test_prompt_with_arguments": ["arg1", "arg2"],
  "test_prompt_with_embedded_resource": ["resourceUri"],
  "test_prompt_with_image": [],
  "test_input_required_result_prompt": [],
};

function servePrompts(server: Server): void {
  server.setRequestHandler("prompts/list", () => ({
    prompts: Object.entries(PROMPTS).map(([name, args]) => ({
      ...{ name, description: name },
      arguments: args.map((name) => ({ name, required: true })),
    })),
  }));
  server.setRequestHandler("prompts/get", ({ params }, { mcpReq }) => {
    const { name, arguments: args = {} } = params;
    const said = acceptedContent(mcpReq.inputResponses, "user_context");
    if (name === "test_input_required_result_prompt" && !said) {
      const question = ask("Context?", { context: { type: "string" } });
      return inputRequired({ inputRequests: { "user_context": question } });
    }
    const { resourceUri } = args;
    const all = JSON.stringify({ ...args, ...said });
    return {
      messages: [
        { role: "user", content: { type: "text", text: `Given: ${all}` } },
        ...name === "test_prompt_with_image"
          ? [{ role: "user" as const, content: IMAGE }]
          : [],
        ...resourceUri === undefined ? [] : [{
          role: "user" as const,
          content: embedded(resourceUri, "text/plain", "A text."),
        }],
      ],
    };
  });
}
