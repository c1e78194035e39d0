import {
  acceptedContent,
  inputRequired,
  ResourceNotFoundError,
  Server,
} from "../../deps/mcp_server.ts";
import { parseArguments } from "../../src/cli/arguments.ts";
import { toHttpSettings } from "../../src/launcher/http_settings.ts";
import type { Listener } from "../../src/server/transports/http/listener/listener.ts";
import { invalidParams } from "../../src/server/error_codes.ts";
import { hostMcp } from "../support/host_mcp.ts";
import { machine } from "../support/machine.ts";
import {
  ask,
  embedded,
  type FixtureTool,
  IMAGE,
  PNG,
  stateSeal,
  TOOLS,
} from "./fixture_tools.ts";

/**
 * Serves all that the suite asks for, by the product's own code for HTTP: only
 * the tools, prompts and resources are others.
 */
export async function startFixture(): Promise<Listener> {
  const args = ["--port", "0", "streamable-http"];
  const invocation = await parseArguments(args, {}, machine({}));
  if (invocation.command === "print") throw new TypeError(invocation.text);
  const http = await toHttpSettings(invocation.settings, false);
  return await hostMcp(http, createServer);
}

function createServer(tellToolsChanged: () => void): Server {
  const server = new Server({ name: "conformance", version: "1" }, {
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true },
      prompts: {},
      logging: {},
      completions: {},
    },
    requestState: { verify: stateSeal.verify },
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
    tools: Object.entries(tools).map(([name, { inputSchema }]) => ({
      ...{ name, description: name },
      inputSchema: inputSchema ?? { type: "object" },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = tools[params.name];
    if (!tool) throw invalidParams(`Unknown tool ${params.name}`);
    return await tool.call(context, params.arguments ?? {});
  });
  serveResources(server);
  servePrompts(server);
  server.setRequestHandler("logging/setLevel", () => ({}));
  server.setRequestHandler("completion/complete", () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
  return server;
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
