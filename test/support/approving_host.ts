import { openShares } from "../../src/server/shares.ts";
import {
  StreamableHTTPClientTransport,
  type Transport,
} from "../../deps/mcp_client.ts";
import { type Server, serveStdio } from "../../deps/mcp_server.ts";
import { z } from "../../deps/zod.ts";
import { parseArguments } from "../../src/cli/arguments.ts";
import { toHttpSettings } from "../../src/launcher/http_settings.ts";
import { fields } from "../../src/protocol/fields.ts";
import type { Facts } from "../../src/protocol/log_lines.ts";
import { Log } from "../../src/protocol/log_lines.ts";
import { Queue } from "../../src/protocol/channel.ts";
import type { Json } from "../../src/protocol/run_result.ts";
import type { FromClient } from "../../src/server/broker_line.ts";
import { CallsUnderWay } from "../../src/server/calls_under_way.ts";
import { Approvals } from "../../src/server/code_mode/approvals.ts";
import { CodeMode } from "../../src/server/code_mode/code_mode.ts";
import { NO_PARTS } from "./no_parts.ts";
import { toRunningAnswer } from "../../src/server/lasting/running.ts";
import { LastingCalls } from "../../src/server/lasting/lasting_calls.ts";
import { ToolRules } from "../../src/server/code_mode/tool_rules.ts";
import { contract } from "../../src/server/contracts/contract.ts";
import { openGetRun } from "../../src/server/contracts/get_run.ts";
import { toWait, WAIT } from "../../src/server/contracts/wait_argument.ts";
import { createServer } from "../../src/server/create_server.ts";
import {
  ConnectionFiles,
  openFileStores,
} from "../../src/server/files/connection_files.ts";
import { openCallTool } from "../../src/server/host_calls/call_tool.ts";
import { HostCallError } from "../../src/server/host_calls/host_call.ts";
import { sha256 } from "../../src/disk.ts";
import type { RunOptions } from "../../src/server/pool/pool.ts";
import { fakePool, fakePools } from "./fake_pool.ts";
import { Reads } from "../../src/server/reads.ts";
import { RunLog } from "../../src/server/run_log.ts";
import { forAudit, runLines } from "../../src/server/run_lines.ts";
import type { Owner } from "../../src/server/sessions/kept_session.ts";
import { Sessions } from "../../src/server/sessions/sessions.ts";
import { StdioTransport } from "../../src/server/transports/stdio.ts";
import { hostMcp } from "./host_mcp.ts";
import { machine } from "./machine.ts";
import { type MemoryHub, openMemoryHub, toResult } from "./memory_hub.ts";
import { SERVER_SETTINGS } from "./request.ts";

/**
 * Code of the test's own runs, as JSON: steps, one after another; the calls of a
 * step are made at once. A run gives the end of each call.
 */
export type Step = { tool: string; args?: Record<string, Json> }[];

export interface ApprovingHost extends AsyncDisposable {
  hub: MemoryHub;
  lasting: LastingCalls;
  /** Lines of the audit. */
  lines: Facts[];
  /** Runs under way, and those that were cancelled. */
  runs: { underWay: number; cancelled: number };
  /** A way for a client; of HTTP for a caller by name. */
  connect(caller?: string): Promise<Transport>;
  /** Has calls of the tool `wait` return. */
  open(): void;
  /** Cancels all runs, as the server's end does. */
  end(): void;
}

/** A server whose runs call tools that need approval: product parts but for Python and its servers. */
export async function openApprovingHost(
  via: "stdio" | "http",
  { approvalMs = 600_000, keptMs = 600_000, taskAfterSeconds = 600 } = {},
): Promise<ApprovingHost> {
  const gate = Promise.withResolvers<void>();
  const destructive = { annotations: { destructiveHint: true } };
  const hub = openMemoryHub({
    files: {
      read: { call: () => toResult("read") },
      hang: { call: () => new Promise(() => {}) },
      wait: { call: () => gate.promise.then(() => toResult("waited")) },
      delete: { ...destructive, call: () => toResult("deleted") },
      move: { ...destructive, call: () => toResult("moved") },
    },
  });
  const callTool = openCallTool({
    hub,
    rules: new ToolRules({ allowTool: [] }),
    limits: {
      approve: "destructive",
      timeoutMs: 60_000,
      approvalMs,
      size: 1e6,
    },
  });
  const runs = { underWay: 0, cancelled: 0 };
  const pool = fakePool({
    async run({ code }, options: RunOptions = {}) {
      runs.underWay++;
      const ended = new AbortController();
      const signal = options.signal ?? ended.signal;
      signal.addEventListener("abort", () => ended.abort());
      const ends: string[][] = [];
      for (const step of JSON.parse(code) as Step[]) {
        ends.push(
          await Promise.all(step.map(async ({ tool, args = {} }) => {
            const call = { server: "files", tool, arguments: args };
            const caller = { run: options, signal: ended.signal };
            return await callTool.perform(call, caller)
              .then(textOf, messageOf);
          })),
        );
      }
      runs.underWay--;
      if (signal.aborted) {
        runs.cancelled++;
        return { status: "cancelled", error: "cancelled", output: [] };
      }
      return { status: "success", returnValue: ends, output: [] };
    },
  });
  const pools = fakePools(pool);
  const settings = { ...SERVER_SETTINGS, codeMode: true, taskAfterSeconds };
  const lines: Facts[] = [];
  const decoder = new TextDecoder();
  const audit = new Log(
    { logLevel: "info", logFormat: "json" },
    (line) => lines.push(JSON.parse(decoder.decode(line))),
  );
  const ending = new AbortController();
  const stores = openFileStores(openShares(settings));
  const lasting = new LastingCalls({
    ...{ callWaitMs: 600_000, keptMs },
    ...{ maxOutput: 1000, longRuns: true },
  }, openShares(settings));
  const shared = {
    sessions: new Sessions(pools, settings, { write() {} }),
    codeMode: new CodeMode({ ...NO_PARTS, hub }),
    ...{ lasting, approvals: new Approvals(), ending: ending.signal },
    runs: new RunLog(runLines(audit, forAudit({ logCode: false }))),
    calls: new CallsUnderWay(),
    reads: new Reads(),
    tellResourcesChanged() {},
  };
  const getRun = openGetRun({
    settings: { ...settings, longRuns: true },
    sessions: shared.sessions,
    owner: { name: "", connection: undefined },
    files: new ConnectionFiles(settings, "", stores),
  });
  const contracts = [runPython, getRun].flat().filter((one) =>
    one !== undefined
  );
  const create = (owner: Owner): Server =>
    createServer(settings, () => contracts, {
      packages: () => [],
      ...{ ...shared, owner },
      files: new ConnectionFiles(settings, owner.name, stores),
    });
  const host = {
    hub,
    lasting,
    lines,
    runs,
    open: gate.resolve,
    end: () => ending.abort(),
  };
  if (via === "stdio") {
    return {
      ...host,
      connect: () => Promise.resolve(linkStdio(create)),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
  const listener = await listenHttp(create);
  return { ...host, ...listener };
}

function textOf(result: Json): string {
  const { content } = fields(result);
  const [block] = Array.isArray(content) ? content : [];
  return String(fields(block).text);
}

function messageOf(error: unknown): string {
  return error instanceof HostCallError ? error.message : `fault: ${error}`;
}

const runPython = contract({
  name: "run_python",
  tool: () => ({ description: "Runs steps" }),
  schema: z.strictObject({
    ...{ code: z.string(), servers: z.array(z.string()) },
    wait: WAIT.optional(),
  }),
  toRequest: ({ code, servers, wait }) => ({
    request: { code, globals: "{}", timeoutMs: 60_000 },
    ...{ files: [], servers, ...toWait({ wait }) },
  }),
  toRunning: (running) => toRunningAnswer(running, "json"),
  render: ({ result }) => ({
    content: [{ type: "text", text: JSON.stringify(result) }],
  }),
});

/** The product's transport of stdio, of which a client has the other end. */
function linkStdio(create: (owner: Owner) => Server): Transport {
  const fromClient = new Queue<FromClient>();
  const silent = new Log(SERVER_SETTINGS, () => {});
  const client: Transport = {
    start: () => Promise.resolve(),
    send(message) {
      fromClient.push(new TextEncoder().encode(JSON.stringify(message)));
      return Promise.resolve();
    },
    close() {
      fromClient.push(null);
      client.onclose?.();
      return Promise.resolve();
    },
  };
  const broker = {
    nextFromClient: () => fromClient.next(),
    sendToClient(line: string) {
      client.onmessage?.(JSON.parse(line));
      return Promise.resolve();
    },
    ...{ log: silent, audit: silent, noteFault() {} },
    onFault: () => Promise.resolve(),
    onShutdown: () => Promise.resolve(),
    spawn(kind: string): never {
      throw new Error(`There is no ${kind}`);
    },
  };
  serveStdio(() => create({ name: "stdio", connection: "stdio" }), {
    transport: new StdioTransport(broker, () => {}),
  });
  return client;
}

const CALLERS = ["ada", "eve"];

async function listenHttp(
  create: (owner: Owner) => Server,
): Promise<Pick<ApprovingHost, "connect" | typeof Symbol.asyncDispose>> {
  const args = ["--port", "0", "streamable-http"];
  const invocation = await parseArguments(args, {}, machine({}));
  if (invocation.command === "print") throw new TypeError(invocation.text);
  const http = await toHttpSettings(invocation.settings, false);
  const tokens = CALLERS.map((name) => ({ name, sha256: sha256(`t-${name}`) }));
  const listener = await hostMcp(
    { ...http, tokens },
    (_, owner) => create(owner),
  );
  return {
    connect: (caller = "ada") =>
      Promise.resolve(
        new StreamableHTTPClientTransport(new URL(listener.url), {
          requestInit: { headers: { authorization: `Bearer t-${caller}` } },
        }),
      ),
    [Symbol.asyncDispose]: async () => await listener.close(),
  };
}
