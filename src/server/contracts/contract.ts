import type { CallToolResult, Tool } from "../../../deps/mcp_server.ts";
import type {
  ConnectionFiles,
  FinishedRun,
} from "../files/connection_files.ts";
import type { RunFile } from "../../protocol/run_files.ts";
import type { RunRequest } from "../../protocol/run_messages.ts";
import type { CodeMode } from "../code_mode/code_mode.ts";
import type { Owner } from "../sessions/kept_session.ts";
import type { ToolCall } from "../host_calls/tool_call.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import {
  type AnySchema,
  describeWrong,
  type OutputOf,
  parseArguments,
  toJsonSchema,
  toReader,
} from "./arguments.ts";
import type { Json, RunResult } from "../../protocol/run_result.ts";
import { toBlock } from "../../results/result_images.ts";
import type { Watched } from "../lasting/own_calls.ts";
import type { Running } from "../lasting/running.ts";
import { toPageBlock } from "../../results/result_pages.ts";

interface OfferedTool {
  name: string;
  /** When a model should call the tool; undefined if its description says so. */
  instructions?: string;
  tool(): Tool;
}

/** A tool, and the answers to its calls. */
export interface CallContract extends OfferedTool {
  /** Answers a call, also one with wrong arguments: a model can mend its call. */
  call(
    given: unknown,
    run: RunCode,
    callTool?: CallTool,
  ): Promise<CallToolResult>;
  /** Writes the answer of a call that goes on; absent if it runs no code. */
  toRunning?: ((running: Running) => CallToolResult) | undefined;
}

/** A tool whose calls wait for another call. */
export interface WatchContract extends OfferedTool {
  /** Reads of which call; gives the answer if an argument is wrong. */
  watch(given: unknown): Watched | CallToolResult;
}

export type Contract = CallContract | WatchContract;

/** Calls a tool of a component, for a client's own call. */
export type CallTool = (call: ToolCall) => Promise<CallToolResult>;

/** Opens contracts for a connection; none if their option is off. */
export type OpenContract = (
  connection: Connection,
) => Contract | Contract[] | undefined;

export interface Connection {
  settings: ServerSettings;
  files: ConnectionFiles;
  sessions: Sessions;
  owner: Owner;
  /** Undefined without code mode. */
  codeMode?: CodeMode | undefined;
}

/** Runs code for a call, and tells the client of its output and progress. */
export type RunCode = (code: CodeOfCall) => Promise<FinishedRun>;

/** Code that a call runs, and the files that it finds. */
export interface CodeOfCall {
  request: RunRequest;
  files: RunFile[];
  /** Handle of a session; `"new"` or `"none"`. */
  session?: string | undefined;
  /** Servers that it may call; undefined if it is not code of code mode. */
  servers?: readonly string[];
  /** Milliseconds after which its call is answered though it runs on. */
  waitMs?: number | undefined;
}

/** A contract, as it is written: it answers by itself, or runs code first. */
type ContractSpec<Schema extends AnySchema> =
  & {
    name: string;
    instructions?: string;
    /** The tool, but for its name and schemas. */
    tool(): Omit<Tool, "name" | "inputSchema" | "outputSchema">;
    /** Reads the arguments, and becomes the schema that the client sees. */
    schema: Schema;
    /** The structured content; undefined if the client sees no schema of it. */
    outputSchema?: AnySchema | undefined;
  }
  & (Answering<OutputOf<Schema>> | RunsCode<OutputOf<Schema>>);

/** Both throw a `TypeError` or `RangeError` that names a wrong argument. */
interface Answering<Arguments> {
  answer(args: Arguments): CallToolResult | Promise<CallToolResult>;
}

interface RunsCode<Arguments> {
  toRequest(args: Arguments): CodeOfCall | Promise<CodeOfCall>;
  /** @param code Undefined if an argument is wrong, so that nothing ran. */
  render(
    run: FinishedRun,
    code?: CodeOfCall,
  ): CallToolResult | Promise<CallToolResult>;
  toRunning?: CallContract["toRunning"];
}

/** @throws {Error} If the arguments' JSON Schema cannot be checked. */
export function contract<Schema extends AnySchema>(
  spec: ContractSpec<Schema>,
): CallContract {
  const { name, instructions, schema, outputSchema } = spec;
  const reader = toReader(schema);
  return {
    name,
    ...(instructions === undefined ? {} : { instructions }),
    tool: () => ({
      name,
      ...spec.tool(),
      inputSchema: toJsonSchema(schema),
      ...(outputSchema ? { outputSchema: toJsonSchema(outputSchema) } : {}),
      // Clients of 2026 are not told: the server decides.
      ..."toRunning" in spec ? { execution: { taskSupport: "optional" } } : {},
    }),
    ..."toRunning" in spec ? { toRunning: spec.toRunning } : {},
    async call(given, run) {
      let code: CodeOfCall;
      try {
        const args = parseArguments(reader, given);
        if ("answer" in spec) return await spec.answer(args);
        code = await spec.toRequest(args);
      } catch (error) {
        const message = describeWrong(error);
        if ("answer" in spec) return toErrorAnswer(message);
        const wrong = { status: "invalid-arguments", error: message } as const;
        const result = { ...wrong, output: [] };
        return await spec.render({ result, blocks: [] });
      }
      return await spec.render(await run(code), code);
    },
  };
}

/** For programs, not for models: whether code ran in a fresh interpreter. */
const INTERPRETER = "mcp-run-python/interpreter";
/** The milliseconds that the call waited, if that was long. */
const WAITED = "mcp-run-python/waitedMs";
const LONG_WAIT_MS = 1000;

/** A result as structured content has it. */
export function toData(
  { result, whole = result, wantsWhole }: FinishedRun,
  { structured }: Pick<ServerSettings, "structured">,
): RunResult {
  return structured === "full" || wantsWhole ? whole : result;
}

/** The answer of a run: its text, then pictures, pages, and blocks and links of files. */
export function toRunAnswer(
  { result, blocks, interpreter, waitedMs = 0, showsPages = false }:
    FinishedRun,
  { text, structured }: { text: string; structured: object },
  settings: Pick<ServerSettings, "errorResults" | "structured">,
): CallToolResult {
  const pictures = (result.images ?? []).map(toBlock);
  const pages = (result.pages ?? [])
    .flatMap((page) => toPageBlock(page, showsPages) ?? []);
  const meta = {
    ...(interpreter ? { [INTERPRETER]: interpreter } : {}),
    ...(waitedMs > LONG_WAIT_MS ? { [WAITED]: Math.round(waitedMs) } : {}),
  };
  return {
    content: [{ type: "text", text }, ...pictures, ...pages, ...blocks],
    isError: result.status !== "success" && !settings.errorResults,
    ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}),
    ...(settings.structured !== "none"
      ? { structuredContent: { ...structured } }
      : {}),
  };
}

export function toErrorAnswer(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

export function toAnswer(value: Record<string, Json>): CallToolResult {
  const text = JSON.stringify(value);
  return { content: [{ type: "text", text }], structuredContent: value };
}
