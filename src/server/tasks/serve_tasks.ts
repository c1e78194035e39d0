import {
  ProtocolError,
  type Server,
  type ServerContext,
} from "../../../deps/mcp_server.ts";
import { z } from "../../../deps/zod.ts";
import { METHOD_NOT_FOUND } from "../error_codes.ts";
import type { NewTask, OwnCalls } from "../lasting/own_calls.ts";
import { tasksOf2025, toTaskOf2025 } from "./tasks_2025.ts";
import {
  declaresTasks,
  TASKS,
  tasksOf2026,
  toTaskOf2026,
} from "./tasks_2026.ts";

/** Capabilities of a server with tasks; `TaskServer` tells a client those of its era. */
export const TASK_CAPABILITIES = {
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  extensions: { [TASKS]: {} },
};

/** The task that a call is to become; undefined if it ends with its request. */
export async function maybeTask(
  server: Server,
  { mcpReq }: ServerContext,
  params: { task?: unknown },
  { isAble, afterMs, meta = {} }: {
    /** Whether its tool has tasks. */
    isAble: boolean;
    /** Milliseconds until it becomes one, if its client leaves that to the server. */
    afterMs: number;
    /** Of the result that makes it a task. */
    meta?: Record<string, unknown>;
  },
): Promise<NewTask | undefined> {
  if (mcpReq.envelope === undefined) {
    return await toTaskOf2025(server, params, { isAble, meta });
  }
  return isAble && await declaresTasks(mcpReq)
    ? toTaskOf2026(afterMs, meta)
    : undefined;
}

/** Those that answer read them by schemas that are loaded with the first task. */
const PARAMS = z.looseObject({});

type Answer = (
  params: Record<string, unknown>,
  context: ServerContext,
) => Promise<Record<string, unknown>>;

/** Serves the methods of tasks, for clients of both eras. */
export function serveTasks(server: Server, own: OwnCalls): void {
  const early = tasksOf2025(own, server);
  const later = tasksOf2026(own);
  const methods: Record<string, { early?: Answer; later?: Answer }> = {
    "tasks/get": { early: early.get, later: later.get },
    "tasks/cancel": { early: early.cancel, later: later.cancel },
    "tasks/result": { early: early.result },
    "tasks/list": { early: early.list },
    "tasks/update": { later: later.update },
  };
  for (
    const [method, { early = refuse, later = refuse }] of Object.entries(
      methods,
    )
  ) {
    server.setRequestHandler(
      method,
      { params: PARAMS },
      async (params, context: ServerContext) =>
        await (context.mcpReq.envelope === undefined ? early : later)(
          params,
          context,
        ),
    );
  }
}

function refuse(): never {
  throw new ProtocolError(METHOD_NOT_FOUND, "Method not found");
}
