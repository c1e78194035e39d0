import type { HttpServer } from "../../support/http_server.ts";
import { postRequest } from "../../support/mcp_post.ts";
import {
  type Called,
  type Era,
  type TestClient,
  toCalled,
} from "../../support/client.ts";

/** An answer to a call of a tool, or its absence. */
export type Answer =
  | { is: "result"; called: Called }
  /** It has not run: the server has no room, or is about to end. */
  | { is: "refused"; text: string }
  /** The connection broke, or the call was given up. */
  | { is: "broken"; text: string };

export type Call = (
  name: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
) => Promise<Answer>;

/** A client that is no more than `fetch`: many of them are light. */
export function callByFetch(
  server: Pick<HttpServer, "fetch">,
  token: () => string,
): Call {
  return async (name, args, signal) => {
    const { headers, ...post } = postRequest("tools/call", name, {
      ...{ name, arguments: args },
    });
    const authorization = `Bearer ${token()}`;
    let status: number;
    let body: string;
    try {
      const answer = await server.fetch({
        ...{ ...post, signal, headers: { ...headers, authorization } },
      });
      status = answer.status;
      body = await answer.text();
    } catch (error) {
      return readFailure(error);
    }
    if (status === 429 || status === 503) return { is: "refused", text: body };
    if (status !== 200) return { is: "broken", text: `${status} ${body}` };
    return toAnswer(body);
  };
}

/** A server that does not listen has not run anything. */
function readFailure(error: unknown): Answer {
  const text = `${error} ${Object(error).cause ?? ""}`;
  const isRefused =
    /refused|no room|busy|try again|is about to end|initialize again/i
      .test(text);
  return { is: isRefused ? "refused" : "broken", text };
}

/** The answer of a stream, or of a body. */
function toAnswer(body: string): Answer {
  const lines = body.startsWith("{")
    ? [body]
    : [...body.matchAll(/^data: (.+)$/gm)].map(([, line = ""]) => line);
  for (const line of lines) {
    const { result, error } = Object(maybeParse(line));
    if (error !== undefined) return { is: "broken", text: line };
    if (result !== undefined) return { is: "result", called: toCalled(result) };
  }
  return { is: "broken", text: `no result: ${body.slice(0, 300)}` };
}

function maybeParse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The official client of an era, which connects anew to a server that was started anew. */
export function callByClient(token: () => string, era: Era) {
  const clients = new Map<string, Promise<TestClient>>();
  const of = (server: HttpServer): Call => async (name, args, signal) => {
    const key = `${server.url} ${token()}`;
    const connecting = clients.get(key) ??
      server.connect(era, { token: token() });
    clients.set(key, connecting);
    // It would try to resume the stream of a server that is gone.
    const hasEnded = server.ended.then(() => {
      throw new Error("The server has ended");
    });
    hasEnded.catch(() => {});
    try {
      const { client } = await connecting;
      const result = await Promise.race([
        client.callTool({ name, arguments: args }, { signal }),
        hasEnded,
      ]);
      return { is: "result", called: toCalled(result) };
    } catch (error) {
      if (!signal.aborted) clients.delete(key);
      return readFailure(error);
    }
  };
  return {
    of,
    async close() {
      const all = await Promise.allSettled(clients.values());
      for (const one of all) {
        if (one.status === "fulfilled") await one.value.client.close();
      }
    },
  };
}
