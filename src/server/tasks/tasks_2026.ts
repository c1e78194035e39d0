import type { TaskV2 } from "../../../deps/ext_tasks.ts";
import {
  inputRequired,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from "../../../deps/mcp_server.ts";
import { declares } from "../client_capabilities.ts";
import { invalidParams } from "../error_codes.ts";
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

/** The extension of MCP. */
export const TASKS = "io.modelcontextprotocol/tasks";

/** @param meta Of the result that makes a call a task. */
export function toTaskOf2026(
  afterMs: number,
  meta: Record<string, unknown>,
): NewTask {
  return {
    afterMs,
    toResult: (call) => ({
      ...{ content: [], resultType: "task", _meta: meta },
      ...{ ...toBase(call), status: readStatus(call) },
    }),
  };
}

/** Whether the client of a request has declared the extension. */
export async function declaresTasks(
  { envelope }: ServerContext["mcpReq"],
): Promise<boolean> {
  if (!declares(TASKS, envelope)) return false;
  const { hasTaskClientCapabilityV2 } = await import(
    "../../../deps/ext_tasks.ts"
  );
  return hasTaskClientCapabilityV2({ _meta: envelope });
}

/** @throws {ProtocolError} If the client of a request has not declared the extension. */
export async function demandTasks(
  mcpReq: ServerContext["mcpReq"],
): Promise<void> {
  if (await declaresTasks(mcpReq)) return;
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS]: {} } },
  }, `This needs a client with tasks: declare the extension ${TASKS}`);
}

/** The answers to the methods of tasks, but for those of 2025 alone. */
export function tasksOf2026(own: OwnCalls) {
  return {
    async get(params: unknown, { mcpReq }: ServerContext) {
      await demandTasks(mcpReq);
      return await toTask(await findTask(own, params));
    },
    async update(params: unknown, { mcpReq }: ServerContext) {
      await demandTasks(mcpReq);
      const { questions } = await findTask(own, params);
      const { inputResponses } = mcpReq;
      if (!inputResponses) {
        throw invalidParams("inputResponses must be an object: answers by key");
      }
      for (const [key, answer] of Object.entries(inputResponses)) {
        questions.answer(key, answer);
      }
      return {};
    },
    async cancel(params: unknown, { mcpReq }: ServerContext) {
      await demandTasks(mcpReq);
      (await findTask(own, params)).cancel();
      return {};
    },
  };
}

async function toTask(call: LastingCall) {
  const state = await readState(call);
  const base = toBase(call);
  switch (state.status) {
    case "completed":
      return {
        ...base,
        ...state,
        result: { resultType: "complete", ...state.result },
      };
    case "input_required":
      return { ...base, status: state.status, inputRequests: toRequests(call) };
    default:
      return { ...base, ...state };
  }
}

function toBase(call: LastingCall): Omit<TaskV2, "status"> {
  return {
    ...toFacts(call),
    ...{ ttlMs: toWhole(call.keptMs), pollIntervalMs: POLL_MS },
  };
}

function toRequests({ questions }: LastingCall) {
  return Object.fromEntries(
    questions.open.map(({ key, form }) => [key, inputRequired.elicit(form)]),
  );
}
