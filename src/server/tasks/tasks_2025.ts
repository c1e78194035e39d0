import type { TaskV1 } from "../../../deps/ext_tasks.ts";
import type { Server, ServerContext } from "../../../deps/mcp_server.ts";
import {
  ProtocolError,
  RELATED_TASK_META_KEY,
} from "../../../deps/mcp_server.ts";
import { untilAborted } from "../../deadline.ts";
import { fields } from "../../protocol/fields.ts";
import { canShowForms } from "../client_capabilities.ts";
import { show } from "../contracts/arguments.ts";
import {
  INTERNAL_ERROR,
  invalidParams,
  METHOD_NOT_FOUND,
} from "../error_codes.ts";
import {
  answerByAsking,
  type AskableRequest,
} from "../lasting/ask_by_request.ts";
import type { LastingCall } from "../lasting/lasting_call.ts";
import type { NewTask, OwnCalls } from "../lasting/own_calls.ts";
import {
  findTask,
  POLL_MS,
  readState,
  readStatus,
  toFacts,
  toWhole,
} from "./task.ts";

/** Tasks of an answer to tasks/list. */
const PAGE = 100;

/**
 * The task that a call asks for; undefined if it asks for none.
 *
 * @param options.isAble Whether its tool has tasks.
 * @param options.meta Of the result that makes it a task.
 * @throws {ProtocolError} If the tool has none, or the ttl is wrong.
 */
export async function toTaskOf2025(
  server: Server,
  { task }: { task?: unknown },
  { isAble, meta }: { isAble: boolean; meta: Record<string, unknown> },
): Promise<NewTask | undefined> {
  if (task === undefined) return undefined;
  if (!isAble) {
    throw new ProtocolError(
      METHOD_NOT_FOUND,
      "This tool has no tasks: call it without task",
    );
  }
  const { TaskMetadataV1Schema } = await import("../../../deps/ext_tasks.ts");
  const read = TaskMetadataV1Schema.safeParse(task);
  const { ttl } = fields(task);
  if (!read.success || Number(ttl ?? 1) < 1) {
    throw invalidParams(
      `task.ttl is ${
        show(ttl)
      }, and must be a whole number of milliseconds above 0`,
    );
  }
  return {
    ...{ afterMs: 0, ttlMs: read.data.ttl },
    toResult(call) {
      // The client may be gone.
      follow(call, server).catch(() => {});
      const status = readStatus(call);
      return { content: [], task: { ...toBase(call), status }, _meta: meta };
    },
  };
}

/** Tells the client of a task what happens to it, beside any request; asks its user. */
async function follow(call: LastingCall, server: Server): Promise<void> {
  const tell = async () => {
    const params = await toTask(call);
    await server.notification({ method: STATUS, params });
  };
  // It has the question a moment later.
  call.onAsk = () => queueMicrotask(() => tell().catch(() => {}));
  const left = Promise.withResolvers<void>();
  const request = mark(call, {
    signal: new AbortController().signal,
    log: (level, data, logger) =>
      server.notification({
        method: "notifications/message",
        params: { level, data, logger },
      }),
    notify: (notification) => server.notification(notification),
    async send(question, options) {
      try {
        return await server.request(question, options);
      } catch {
        // If the client is gone, another may ask it.
        left.resolve();
        return await untilAborted(new Promise(() => {}), options.signal);
      }
    },
  });
  await answerByAsking(call, request, left.promise, toRelated(call))
    .catch(() => {});
  await call.over;
  await tell();
}

const STATUS = "notifications/tasks/status";

/** The answers to the methods of tasks, but for those of the later era alone. */
export function tasksOf2025(own: OwnCalls, server: Server) {
  return {
    get: async (params: unknown) => await toTask(await findTask(own, params)),
    async result(params: unknown, context: ServerContext) {
      const { mcpReq } = context;
      const call = await findTask(own, params);
      const canAsk = canShowForms(
        mcpReq.envelope,
        server.getClientCapabilities(),
      );
      const request = mark(call, mcpReq);
      using due = own.dueOf(context, call, undefined);
      if (canAsk) {
        await answerByAsking(call, request, due.promise, toRelated(call));
      } else {
        using _ = call.attend(request);
        await Promise.race([call.over, due.promise]);
      }
      mcpReq.signal.throwIfAborted();
      if (!call.isOver) {
        throw new ProtocolError(
          INTERNAL_ERROR,
          "This request waits for the task no longer, as its client has left it, or another client needs its place: the task goes on, so ask again",
        );
      }
      const result = await call.result;
      return { ...result, _meta: { ...result._meta, ...toRelated(call) } };
    },
    async list(params: unknown) {
      const { ListTasksRequestV1Schema } = await import(
        "../../../deps/ext_tasks.ts"
      );
      const read = ListTasksRequestV1Schema.shape.params.safeParse(params);
      const { cursor } = read.data ?? {};
      const all = own.list();
      const start = cursor === undefined
        ? 0
        : all.findIndex(({ id }) => id === cursor) + 1;
      if (!read.success || cursor !== undefined && start === 0) {
        throw invalidParams(
          "cursor is not one of the last answer: ask without it",
        );
      }
      const page = all.slice(start, start + PAGE);
      const isLast = start + PAGE >= all.length;
      return {
        tasks: await Promise.all(page.map(toTask)),
        ...isLast ? {} : { nextCursor: page.at(-1)?.id },
      };
    },
    async cancel(params: unknown) {
      const call = await findTask(own, params);
      if (call.isOver || call.isCancelled) {
        const { status } = await toTask(call);
        throw invalidParams(
          `Cannot cancel the task as it is ${status}: tasks/result has its result`,
        );
      }
      call.cancel();
      return await toTask(call);
    },
  };
}

async function toTask(call: LastingCall): Promise<TaskV1> {
  const state = await readState(call);
  // That a tool failed is a result of the tool, and its task failed.
  if (state.status === "completed" && state.result.isError) {
    const [block] = state.result.content;
    const text = block?.type === "text" ? block.text : undefined;
    return { ...toBase(call, text), status: "failed" };
  }
  const { message } = "error" in state ? state.error : call;
  return { ...toBase(call, message), status: state.status };
}

function toBase(
  call: LastingCall,
  message?: string,
): Omit<TaskV1, "status"> {
  return {
    ...toFacts(call, message),
    ...{ ttl: toWhole(call.keptMs), pollInterval: POLL_MS },
  };
}

/** A request whose messages tell of a task, with the progress token of its call. */
function mark(call: LastingCall, request: AskableRequest): AskableRequest {
  const { progressToken = call.progressToken } = request._meta ?? {};
  return {
    _meta: { progressToken },
    signal: request.signal,
    log: (...message) => request.log(...message),
    send: (...question) => request.send(...question),
    notify: ({ method, params }) =>
      request.notify({
        method,
        params: { ...params, _meta: toRelated(call) },
      }),
  };
}

function toRelated({ id }: LastingCall) {
  return { [RELATED_TASK_META_KEY]: { taskId: id } };
}
