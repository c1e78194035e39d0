import {
  createTaskSessionFromClient,
  type JsonRpcResponse,
  type TaskEnabledSession,
} from "../../deps/ext_tasks_client.ts";
import type { Client } from "../../deps/mcp_client.ts";
import { fields } from "../../src/protocol/fields.ts";
import type { Era } from "./client.ts";

/** Answers a question to the client's user. */
export type AnswerInput = NonNullable<
  Parameters<typeof createTaskSessionFromClient<void>>[1]["onInputRequest"]
>;

/** The official client of tasks, by a client of MCP that is connected. */
export function openTasks(
  client: Client,
  era: Era,
  onInputRequest?: AnswerInput,
): TaskEnabledSession {
  const common = {
    endpointId: "test",
    ...onInputRequest ? { onInputRequest } : {},
  };
  if (era === "2025-11-25") return createTaskSessionFromClient(client, common);
  const send = openRaw(client);
  return createTaskSessionFromClient(client, {
    ...common,
    rawDispatch: (request, { signal } = {}) => send(request, signal),
    v2RequestFraming: {
      protocolVersion: era,
      clientInfo: CLIENT,
      clientCapabilities: CAPABILITIES,
    },
  });
}

/** The options of a call that must become a task. */
export const REQUIRED = { task: { preference: "require" } } as const;

/** Starts code as a task, and gives its id. */
export async function beginTask(
  tasks: TaskEnabledSession,
  code: string,
): Promise<string> {
  const execution = await tasks.callTool(
    "run_python_code",
    { "python_code": code, timeout: 600 },
    REQUIRED,
  );
  if (execution.kind !== "task") {
    throw new Error("The call has not become a task");
  }
  await execution.detach();
  return execution.handle.taskId;
}

const CLIENT = { name: "test", version: "1" };
const CAPABILITIES = { elicitation: { form: {} } };
/** The metadata of a request of 2026 whose client has declared tasks. */
export const WITH_TASKS = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": CLIENT,
  "io.modelcontextprotocol/clientCapabilities": {
    ...CAPABILITIES,
    extensions: { "io.modelcontextprotocol/tasks": {} },
  },
};

/** Sends requests beside the client of the SDK, which does not know results of tasks. */
export function openRaw(
  { transport }: Client,
): (request: unknown, signal?: AbortSignal) => Promise<JsonRpcResponse> {
  if (!transport) throw new Error("The client is not connected");
  const waiting = new Map<unknown, (answer: JsonRpcResponse) => void>();
  const take = transport.onmessage;
  transport.onmessage = (message, ...more) => {
    const { id, result, error } = fields(message);
    const answer = waiting.get(id);
    waiting.delete(id);
    if (!answer) return take?.(message, ...more);
    answer(
      (error ? { kind: "error", error } : { kind: "result", result }) as never,
    );
  };
  return async (request, signal) => {
    const id = `raw-${crypto.randomUUID()}`;
    const { promise, resolve, reject } = Promise.withResolvers<
      JsonRpcResponse
    >();
    waiting.set(id, resolve);
    signal?.addEventListener("abort", () => reject(signal.reason));
    const { method, params } = fields(request);
    try {
      await transport.send(
        { jsonrpc: "2.0", id, method: String(method), params: fields(params) },
      );
    } catch (error) {
      // Some errors have a status of HTTP, too.
      const [, body] = /({.*})/.exec(String(error)) ?? [];
      if (body === undefined) throw error;
      return { kind: "error", error: JSON.parse(body).error };
    }
    return await promise;
  };
}
