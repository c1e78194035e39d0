import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from "../../deps/mcp_client_core.ts";
import { maybe, messageOf } from "../errors.ts";
import { fields } from "../protocol/fields.ts";
import type { FailureKind } from "../protocol/bridge_messages.ts";

export interface Failure {
  kind: FailureKind;
  /** Completes "… did not answer: ". */
  reason: string;
}

/** The answer has more characters, or bytes, than it may have. */
export class TooLarge extends Error {
  constructor(public readonly size: number) {
    super(
      `it has ${size} characters, which is more than a result may have; ask for less at a time`,
    );
  }
}

/** Codes of error responses that are made here, and that no server sends. */
export const OWN_CODE = { tooLarge: -1e9 - 1, lost: -1e9 - 2 } as const;

export const NO_RESULT = "it sent an answer that is not a result";

/** The failure of an error of the client; connections say more of their own end. */
export function toFailure(error: unknown): Failure {
  const reason = reasonOf(error);
  if (error instanceof TooLarge) return { kind: "size", reason };
  if (error instanceof ProtocolError) return ofResponse(error);
  if (error instanceof SdkHttpError) return ofHttp(error);
  if (isUnread(error)) return { kind: "protocol", reason: NO_RESULT };
  if (!(error instanceof SdkError)) return { kind: "connection", reason };
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return { kind: "timeout", reason: ofTimeout(error) };
    case SdkErrorCode.InvalidResult:
    case SdkErrorCode.UnsupportedResultType:
    case SdkErrorCode.MethodNotSupportedByProtocolVersion:
    case SdkErrorCode.ClientHttpUnexpectedContent:
      return { kind: "protocol", reason };
    default:
      return { kind: "connection", reason };
  }
}

/** `fetch` tells in its innermost cause why a host cannot be reached. */
function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  return cause instanceof Error
    ? reasonOf(cause)
    : messageOf(error).replace(/^error sending request .*?\): /, "");
}

function ofResponse({ code, message }: ProtocolError): Failure {
  switch (code) {
    case OWN_CODE.tooLarge:
      return { kind: "size", reason: message };
    case OWN_CODE.lost:
      return { kind: "connection", reason: message };
    default:
      return { kind: "protocol", reason: `${message} (code ${code})` };
  }
}

/** The client reads the body of an answer over HTTP as JSON, and then by a schema. */
function isUnread(error: unknown): boolean {
  return error instanceof SyntaxError ||
    error instanceof Error && error.name === "ZodError";
}

/** Statuses for one request: one with others could take the server from all callers. */
const ALONE: readonly unknown[] = [413, 429, 500];

function ofHttp({ status, data }: SdkHttpError): Failure {
  const answer = fields(maybe(() => JSON.parse(String(fields(data).text))));
  const { code, message } = fields(answer.error);
  // Without the number of a request, it is of the session.
  if (typeof answer.id === "number" && typeof code === "number") {
    return ofResponse(new ProtocolError(code, String(message)));
  }
  const kind = ALONE.includes(status) ? "protocol" : "connection";
  return { kind, reason: ofStatus(status) };
}

/** A call that was taken back fails in the same way, without a time. */
function ofTimeout({ data, message }: SdkError): string {
  const { timeout } = fields(data);
  return typeof timeout === "number"
    ? `there was no answer within ${
      timeout / 1000
    } s; if it needs longer, start this program with a larger --call-timeout`
    : message;
}

function ofStatus(status: number | undefined): string {
  if (status !== undefined && status >= 300 && status < 400) {
    return `it answers with status ${status} and leads elsewhere, which is not followed: write its final address as the url`;
  }
  switch (status) {
    case 401:
    case 403:
      return `it answers with status ${status}: its entry needs headers that it accepts, such as Authorization`;
    case 404:
      return "it answers with status 404: the path of its URL may be wrong, or it has forgotten the session";
    default:
      return `it answers with status ${status}`;
  }
}
