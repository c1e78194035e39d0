import { messageOf } from "../errors.ts";
import { INVALID_PARAMS } from "./error_codes.ts";
import { ProtocolError, Server, serveStdio } from "../../deps/mcp_server.ts";
import { log } from "../log.ts";
import { head } from "../results/cut.ts";
import { toBlock } from "../results/result_images.ts";
import { toStructured, toText } from "../results/render.ts";
import { LiveOutput } from "./live/live_output.ts";
import { LogMessages } from "./live/log_messages.ts";
import { ConnectionFiles } from "./files/connection_files.ts";
import { openFileTools } from "./contracts/file_tools.ts";
import { fitAnswer } from "./fit_answer.ts";
import { openProgress } from "./live/progress_sender.ts";
import { parseCall, TOOL_NAME, toTool } from "./contracts/run_python_code.ts";
import type { ClientSide } from "./broker_line.ts";
import { serveResources } from "./files/resources.ts";
import type { ScriptPools } from "./pool/script_pools.ts";
import type { ServerSettings } from "../protocol/server_settings.ts";
import { StdioTransport } from "./transports/stdio.ts";

function toInstructions({ fileTools }: ServerSettings): string {
  const lost = fileTools ? "variables" : "variables, files";
  return `Use \`${TOOL_NAME}\` whenever exact computation, data handling, plots or text processing help: it runs Python in a sandbox and returns what was printed, the value of the last expression, pictures and files. Every call starts from nothing: no ${lost} or imports are kept, so send complete code each time.`;
}

/** Serves MCP, both eras, until the client is gone. */
export async function serveMcp(
  broker: ClientSide,
  pools: Pick<ScriptPools, "find">,
  settings: ServerSettings,
): Promise<void> {
  const closed = Promise.withResolvers<void>();
  const files = new ConnectionFiles(settings);
  serveStdio(() => createServer(pools, settings, files), {
    transport: new StdioTransport(broker, closed.resolve),
    onerror: (error) => log(`mcp-run-python: ${head(error.message, 1000)}`),
  });
  await closed.promise;
}

/** One MCP server, for one connection or request. */
function createServer(
  pools: Pick<ScriptPools, "find">,
  settings: ServerSettings,
  files: ConnectionFiles,
): Server {
  const server = new Server(
    {
      name: "mcp-run-python",
      title: "Run Python",
      version: settings.version,
    },
    {
      capabilities: {
        tools: {},
        logging: {},
        resources: { listChanged: true },
      },
      instructions: toInstructions(settings),
    },
  );
  const logMessages = new LogMessages();
  server.setRequestHandler("logging/setLevel", ({ params }) => {
    logMessages.setLevel(params.level);
    return {};
  });
  serveResources(server, files.store);
  const fileTools = files.folder && openFileTools(files.store, files.folder);
  const tools = [toTool(settings), ...fileTools?.tools ?? []];
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const answer = fileTools?.call(params.name, params.arguments);
    if (answer) return answer;
    if (params.name !== TOOL_NAME) {
      throw new ProtocolError(
        INVALID_PARAMS,
        `Unknown tool "${head(params.name, 100)}": this server has ${
          tools.map(({ name }) => `"${name}"`).join(", ")
        }`,
      );
    }
    const { request, exchange } = readCall(params.arguments, settings, files);
    const pool = await pools.find(request.code);
    const progress = openProgress(mcpReq);
    const logs = logMessages.open(mcpReq);
    const live = new LiveOutput({
      log: logs.log,
      progress: (message) => progress.report({ message }),
    });
    const ran = "run" in pool
      ? await pool.run(request, {
        signal: mcpReq.signal,
        files: exchange,
        onOutput: (stream, text) => live.take(stream, text),
        onProgress(said) {
          live.leaveProgressToCode();
          progress.report(said);
        },
      })
      : pool;
    live.close();
    await logs.close();
    const { result, blocks } = files.keep(ran);
    if (result.files) server.sendResourceListChanged().catch(() => {});
    await progress.close();
    return fitAnswer({
      content: [
        { type: "text", text: toText(result, settings.returnMode) },
        ...(result.images ?? []).map(toBlock),
        ...blocks,
      ],
      isError: result.status !== "success",
      ...(settings.structured
        ? { structuredContent: toStructured(result) }
        : {}),
    });
  });
  return server;
}

function readCall(
  args: unknown,
  settings: ServerSettings,
  files: ConnectionFiles,
) {
  try {
    const { request, own } = parseCall(args, settings);
    return { request, exchange: files.exchange(own) };
  } catch (error) {
    const reason = messageOf(error);
    throw new ProtocolError(INVALID_PARAMS, reason);
  }
}
