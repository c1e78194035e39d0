import { type IncomingMessage, request as open } from "node:http";
import { pipeline, Readable } from "node:stream";

/** Headers that MCP, CORS and tracing have, and that tell a web page's requests. */
const HANDED_ON =
  /^(accept|content-type|last-event-id|origin|traceparent|tracestate|(mcp|sec-fetch|access-control-request)-.*)$/;
const OF_CONNECTION = ["connection", "keep-alive", "transfer-encoding"];
/** Errors of a connection that the other side has closed. */
const CLOSED = ["EPIPE", "ECONNRESET"];
const UNREAD =
  "The server took no more of this request's body: it is too large.";
const WITHOUT_BODY = [204, 304];

/**
 * Sends a request on to a server of this machine, and gives its answer as it comes.
 * Unlike `fetch`, it says the `Host` that the client has said, and knows no proxy.
 *
 * @param own Headers that the request has beside those of MCP.
 * @throws {RangeError} If the server does not read the whole body.
 * @throws {Error} If there is no answer; the reason of the request's signal, if
 * that is aborted.
 */
export function forward(
  { method, headers, body, signal, url: asked }: Request,
  url: URL,
  own: Record<string, string>,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const kept = [...headers].filter(([name]) => HANDED_ON.test(name));
    const { host } = new URL(asked);
    const outgoing = open(url, {
      method,
      signal,
      headers: { ...Object.fromEntries(kept), ...own, host },
      // A connection that is kept open may end just when a request takes it.
      agent: false,
    }, (answer) => resolve(toResponse(answer)));
    outgoing.on("error", (error) => {
      const isUnread = "code" in error && !outgoing.writableFinished &&
        CLOSED.includes(String(error.code));
      reject(isUnread ? new RangeError(UNREAD, { cause: error }) : error);
    });
    if (body) pipeline(Readable.fromWeb(body), outgoing, () => {});
    else outgoing.end();
  });
}

function toResponse(answer: IncomingMessage): Response {
  const { statusCode: status = 502, headers } = answer;
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    OF_CONNECTION.includes(name) ? [] : [[name, `${value}`] as [string, string]]
  );
  if (WITHOUT_BODY.includes(status)) {
    answer.resume();
    return new Response(null, { status, headers: kept });
  }
  return new Response(Readable.toWeb(answer), { status, headers: kept });
}
