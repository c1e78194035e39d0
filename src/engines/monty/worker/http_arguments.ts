import type { HeaderList } from "../../../protocol/http_exchange.ts";
import type { Json } from "../../../protocol/run_result.ts";
import {
  type HostCall,
  isObject,
  maybeBytes,
  PythonError,
} from "./host_call.ts";

/** What Python asks for, before any redirect. */
export interface Asked {
  url: string;
  method: string;
  headers: HeaderList;
  body?: Uint8Array<ArrayBuffer> | undefined;
}

const NAMES = ["url", "method", "headers", "body"] as const;
type Name = typeof NAMES[number];

const encoder = new TextEncoder();

/**
 * Reads the arguments of `http_request(url, method=None, headers=None, body=None)`.
 * Without a method, a request with a body is a POST.
 *
 * @throws {PythonError} A `TypeError`, in the words of CPython.
 */
export function readArguments(call: HostCall): Asked {
  const { url, method, headers, body } = bind(call);
  if (url === undefined) {
    throw wrong("missing 1 required positional argument: 'url'");
  }
  const sent = body === undefined || body === null ? undefined : toBody(body);
  const usual = sent ? "POST" : "GET";
  return {
    url: toText("url", url),
    method: method === undefined || method === null
      ? usual
      : toText("method", method).toUpperCase(),
    headers: headers === undefined || headers === null
      ? []
      : toHeaders(headers),
    body: sent,
  };
}

function bind({ args, kwargs }: HostCall): Partial<Record<Name, Json>> {
  if (args.length > NAMES.length) {
    const given = `${args.length} were given`;
    throw wrong(`takes from 1 to 4 positional arguments but ${given}`);
  }
  const bound: Partial<Record<Name, Json>> = {};
  for (const [at, value] of args.entries()) {
    const name = NAMES[at];
    if (name) bound[name] = value;
  }
  for (const [key, value] of Object.entries(kwargs)) {
    const name = NAMES.find((one) => one === key);
    if (!name) throw wrong(`got an unexpected keyword argument '${key}'`);
    if (name in bound) throw wrong(`got multiple values for argument '${key}'`);
    bound[name] = value;
  }
  return bound;
}

function toText(name: Name, value: Json): string {
  if (typeof value === "string") return value;
  throw mustBe(`argument '${name}'`, "str", value);
}

function toHeaders(value: Json): HeaderList {
  if (!isObject(value) || typeOf(value) !== "dict") {
    throw mustBe("argument 'headers'", "dict", value);
  }
  return Object.entries(value).map(([name, text]) => {
    if (typeof text === "string") return [name, text];
    throw mustBe(`header '${name}'`, "str", text);
  });
}

function toBody(value: Json): Uint8Array<ArrayBuffer> {
  if (typeof value === "string") return encoder.encode(value);
  const bytes = maybeBytes(value);
  if (bytes) return bytes;
  throw mustBe("argument 'body'", "str or bytes", value);
}

function mustBe(what: string, type: string, value: Json): PythonError {
  return wrong(`${what} must be ${type}, not ${typeOf(value)}`);
}

function wrong(words: string): PythonError {
  return new PythonError("TypeError", `http_request() ${words}`);
}

/** The name of a value's type in Python. */
function typeOf(value: Json): string {
  if (value === null) return "NoneType";
  if (Array.isArray(value)) return "list";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "number":
      return Number.isInteger(value) ? "int" : "float";
    case "string":
      return "str";
    default:
      if (maybeBytes(value)) return "bytes";
      return "BigInt" in value ? "int" : "dict";
  }
}
