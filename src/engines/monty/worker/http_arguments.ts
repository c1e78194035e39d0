import { isObject } from "../../../protocol/fields.ts";
import type { HeaderList } from "../../../protocol/http_exchange.ts";
import type { Json } from "../../../protocol/run_result.ts";
import { bindArguments, mustBe, typeOf } from "./call_arguments.ts";
import { type HostCall, maybeBytes } from "./host_call.ts";

/** What Python asks for, before any redirect. */
export interface Asked {
  url: string;
  method: string;
  headers: HeaderList;
  body?: Uint8Array<ArrayBuffer> | undefined;
}

const NAMES = ["url", "method", "headers", "body"] as const;

const encoder = new TextEncoder();

/**
 * Reads the arguments of `http_request(url, method=None, headers=None, body=None)`.
 * Without a method, a request with a body is a POST.
 *
 * @throws {PythonError} A `TypeError`, in the words of CPython.
 */
export function readArguments(call: HostCall): Asked {
  const { url, method = null, headers = null, body = null } = bindArguments(
    call,
    NAMES,
  );
  const sent = body === null ? undefined : toBody(call, body);
  const usual = sent ? "POST" : "GET";
  return {
    url: toText(call, "url", url),
    method: method === null
      ? usual
      : toText(call, "method", method).toUpperCase(),
    headers: headers === null ? [] : toHeaders(call, headers),
    body: sent,
  };
}

function toText(
  call: HostCall,
  name: typeof NAMES[number],
  value: Json | undefined,
): string {
  if (typeof value === "string") return value;
  throw mustBe(call, `argument '${name}'`, "str", value);
}

function toHeaders(call: HostCall, value: Json): HeaderList {
  if (!isObject(value) || typeOf(value) !== "dict") {
    throw mustBe(call, "argument 'headers'", "dict", value);
  }
  return Object.entries(value).map(([name, text]) => {
    if (typeof text === "string") return [name, text];
    throw mustBe(call, `header '${name}'`, "str", text);
  });
}

function toBody(call: HostCall, value: Json): Uint8Array<ArrayBuffer> {
  if (typeof value === "string") return encoder.encode(value);
  const bytes = maybeBytes(value);
  if (bytes) return bytes;
  throw mustBe(call, "argument 'body'", "str or bytes", value);
}
