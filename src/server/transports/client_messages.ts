import { isDeeper } from "../../protocol/fields.ts";
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  PARSE_ERROR,
} from "../error_codes.ts";
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  isSpecType,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from "../../../deps/mcp_server.ts";

/** Characters of an id or token, which each message about a request repeats. */
const LONGEST_ID = 1000;

/** Deeper messages would fill the stack of the schemas that read them. */
const MOST_DEPTH = 250;
const TOO_DEEP =
  `Cannot take a message that is nested deeper than ${MOST_DEPTH}: send less deep data`;

/** The answer to a line that MCP cannot take. */
export interface Refusal {
  jsonrpc: "2.0";
  id: string | number | null;
  error: { code: number; message: string };
}

export type ClientMessage =
  | { message: JSONRPCMessage; refusal?: never }
  | { message?: never; refusal: Refusal };

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a line of a client.
 *
 * The SDK drops a message that does not fit its schemas, so that a request
 * would have no answer: the messages given here fit them.
 *
 * @param unchecked Methods whose params the SDK is left to judge.
 */
export function readClientMessage(
  line: Uint8Array,
  unchecked: readonly string[] = [],
): ClientMessage {
  let data: unknown;
  try {
    data = JSON.parse(decoder.decode(line));
  } catch (error) {
    return refuse(null, PARSE_ERROR, `Cannot read a line as JSON: ${error}`);
  }
  if (line.length > MOST_DEPTH && isDeeper(data, MOST_DEPTH)) {
    return refuse(maybeId(data), INVALID_REQUEST, TOO_DEEP);
  }
  if (isRequest(data)) {
    const wrong = unchecked.includes(data.method)
      ? undefined
      : maybeWrongParams(data);
    return wrong === undefined
      ? { message: data }
      : refuse(data.id, INVALID_PARAMS, wrong);
  }
  return isJSONRPCNotification(data) || isJSONRPCResponse(data)
    ? { message: data }
    : refuse(maybeId(data), INVALID_REQUEST, NO_MESSAGE);
}

export function refuse(
  id: Refusal["id"],
  code: number,
  message: string,
): { refusal: Refusal } {
  return { refusal: { jsonrpc: "2.0", id, error: { code, message } } };
}

/** Id of the request that a message cancels. */
export function maybeCancelled(
  message: JSONRPCMessage,
): string | number | undefined {
  if (!("method" in message) || message.method !== CANCELLED) return undefined;
  const id = message.params?.requestId;
  return isId(id) ? id : undefined;
}

const CANCELLED = "notifications/cancelled";

/** A message for an id that no answer can tell from another. */
export const TWICE =
  "A request with this id waits for its answer: give each request an id of its own";

function isRequest(data: unknown): data is JSONRPCRequest {
  return isJSONRPCRequest(data) && isId(data.id) &&
    isId(data.params?._meta?.progressToken ?? 0);
}

function isId(id: unknown): id is string | number {
  return typeof id === "string"
    ? id.length <= LONGEST_ID
    : Number.isSafeInteger(id);
}

function maybeId(data: unknown): string | number | null {
  // A copy of a text would have a property for each character.
  const id: unknown = Reflect.get(Object(data), "id");
  return isId(id) ? id : null;
}

const NO_MESSAGE =
  `Cannot take a line as a message of MCP: a request has the keys jsonrpc ("2.0"), id, method and params, and no other; its id, and a progressToken, are a string of at most ${LONGEST_ID} characters or a safe integer; params and _meta are objects`;

const CURSOR = "cursor must be a string";

/** Checks of params, by method; the SDK calls wrong params its own failure. */
const PARAMS = new Map<string, [(data: unknown) => boolean, string]>([
  ["initialize", [
    isSpecType.InitializeRequest,
    "protocolVersion must be a string, capabilities an object, and clientInfo an object with name and version",
  ]],
  ["logging/setLevel", [
    isSpecType.SetLevelRequest,
    "level must be debug, info, notice, warning, error, critical, alert or emergency",
  ]],
  ["resources/list", [isSpecType.ListResourcesRequest, CURSOR]],
  ["resources/read", [isSpecType.ReadResourceRequest, "uri must be a string"]],
  ["resources/templates/list", [
    isSpecType.ListResourceTemplatesRequest,
    CURSOR,
  ]],
  ["tools/call", [
    isSpecType.CallToolRequest,
    "name must be a string, and arguments and task objects",
  ]],
  ["tools/list", [isSpecType.ListToolsRequest, CURSOR]],
]);

function maybeWrongParams(request: JSONRPCRequest): string | undefined {
  const [fits, right] = PARAMS.get(request.method) ?? [];
  if (!fits || fits(request)) return undefined;
  return `The params of ${request.method} are wrong: ${right}`;
}
