/**
 * MCP's protocol over HTTP: streams that break, calls that are cancelled,
 * sessions that end, and changes that clients hear of.
 *
 * @module
 */
import { assert, assertEquals, assertRejects } from "../deps/assert.ts";
import { StreamableHTTPClientTransport } from "../deps/mcp_client.ts";
import { type HttpServer, shareHttp } from "./support/http_server.ts";
import { postRequest } from "./support/mcp_post.ts";
import { connectBy, type Era, ERAS } from "./support/server.ts";
import { fields } from "../src/protocol/fields.ts";

const OURS = crypto.randomUUID();
const THEIRS = crypto.randomUUID();
// Of one run at a time: a run that goes on would hold up all later calls.
const shared = shareHttp(["--max-concurrency", "1"], {
  env: { MCP_RUN_PYTHON_TOKEN: `ours:${OURS},theirs:${THEIRS}` },
});
const connect = async (era: Era, token = OURS) =>
  await (await shared()).connect(era, { token });

const ENDLESS = "notify_progress('on')\nwhile True: pass";
const SLOW = "notify_progress('on')\nimport time\ntime.sleep(0.3)\n'done'";

Deno.test("HTTP: a 2025 client that loses its stream comes back, and gets the result once", async () => {
  const session = await RawSession.open(await shared());
  const broken = await session.call(SLOW);
  const { event } = await broken.until("notifications/progress");
  await broken.drop();
  const resumed = await session.resume(event);
  const all = await resumed.toEnd();
  // Progress may come before it.
  const messages = all.filter(({ id }) => id !== undefined);
  assertEquals(messages.map(({ id }) => id), [broken.id]);
  assertEquals(valueOf(messages[0]), "done");
  const again = await session.resume(messages[0]?.event);
  assertEquals(await again.toEnd(), []);
});

Deno.test("HTTP: the official client comes back to a broken stream by itself", async () => {
  const { url } = await shared();
  let breaks = 1;
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: HEADERS.authorization } },
    async fetch(input, init) {
      const response = await fetch(input, init);
      const isCall = String(init?.body).includes("tools/call");
      if (!isCall || breaks-- < 1 || !response.body) return response;
      return new Response(breakAfterFirst(response.body), response);
    },
  });
  await using client = await connectBy(transport, "2025-11-25");
  assertEquals((await client.call(SLOW, {}, WANTED)).returnValue, "done");
  assertEquals(breaks, 0);
});

for (const era of ERAS) {
  Deno.test(`HTTP: a call that is cancelled ends its run (${era})`, async () => {
    await using client = await connect(era);
    const cancel = new AbortController();
    await assertRejects(() =>
      client.call(ENDLESS, {}, {
        signal: cancel.signal,
        onprogress: () => cancel.abort(),
      })
    );
    assertEquals((await client.call("'next'")).returnValue, "next");
  });

  Deno.test(`HTTP: a client hears of new files, and of printed lines if it asks (${era})`, async () => {
    await using connected = await connect(era);
    const { client } = connected;
    const changed = Promise.withResolvers<void>();
    const lines: unknown[] = [];
    client.setNotificationHandler(
      "notifications/resources/list_changed",
      () => changed.resolve(),
    );
    client.setNotificationHandler(
      "notifications/message",
      ({ params }) => void lines.push(params.data),
    );
    const isLater = era === "2026-07-28";
    if (isLater) await client.listen({ resourcesListChanged: true });
    else await client.setLoggingLevel("info");
    const result = await client.callTool({
      name: "run_python_code",
      arguments: {
        python_code: "print('a line')\nopen('a.txt', 'w').write('a')",
      },
      _meta: isLater ? { "io.modelcontextprotocol/logLevel": "info" } : {},
    });
    assertEquals(result.isError ?? false, false);
    assertEquals(lines, ["a line"]);
    await changed.promise;
  });
}

const WRITE = "open('a.txt', 'w').write('a')";

Deno.test("HTTP: a client hears of its own files, and of no other caller's (2025-11-25)", async () => {
  const theirs = await RawSession.open(await shared(), THEIRS);
  const stream = new EventStream(await theirs.get());
  await using ours = await connect("2025-11-25");
  await ours.call(WRITE);
  await (await theirs.call(WRITE)).toEnd();
  assertEquals(await theirs.status("DELETE"), 200);
  assertEquals((await stream.toEnd()).map(({ method }) => method), [
    "notifications/resources/list_changed",
  ]);
});

Deno.test("HTTP: a client hears of its own files, and of no other caller's (2026-07-28)", async () => {
  await using theirs = await connect("2026-07-28", THEIRS);
  await using ours = await connect("2026-07-28");
  let heard = 0;
  const told = Promise.withResolvers<void>();
  theirs.client.setNotificationHandler(
    "notifications/resources/list_changed",
    () => {
      heard++;
      told.resolve();
    },
  );
  const listening = await theirs.client.listen({ resourcesListChanged: true });
  await ours.call(WRITE);
  await theirs.call(WRITE);
  await told.promise;
  await listening.close();
  assertEquals(heard, 1);
});

Deno.test("HTTP: a 2025 request whose id waits for another answer is refused", async () => {
  const session = await RawSession.open(await shared());
  const stream = await session.call(SLOW);
  const twice = await session.post({ id: stream.id, method: "ping" });
  const { id, error } = fields(await twice.json());
  assertEquals([twice.status, id, fields(error).code], [
    ...[400, stream.id, -32600],
  ]);
  const messages = await stream.toEnd();
  assertEquals(valueOf(messages.at(-1)), "done");
  const again = await session.post({ id: stream.id, method: "ping" });
  // An answer that comes at once needs no stream.
  assertEquals(fields(await again.json()).result, {});
});

Deno.test("HTTP: the stream of a cancelled 2025 call ends without an answer", async () => {
  const session = await RawSession.open(await shared());
  const stream = await session.call(ENDLESS);
  const { event } = await stream.until("notifications/progress");
  const { status, body } = await session.post({
    method: "notifications/cancelled",
    params: { requestId: stream.id },
  });
  await body?.cancel();
  assertEquals(status, 202);
  assertEquals(await stream.toEnd(), []);
  // A client that asks for more gets an end, too.
  const [answer] = await (await session.resume(event)).toEnd();
  assertEquals([answer?.id, fields(answer?.error).code], [stream.id, -32000]);
});

Deno.test("HTTP: a 2025 session that is deleted ends its runs, and is gone", async () => {
  const session = await RawSession.open(await shared());
  const stream = await session.call(ENDLESS);
  await stream.until("notifications/progress");
  assertEquals(await session.status("DELETE"), 200);
  assertEquals(await stream.toEnd(), []);
  for (const method of ["GET", "DELETE", "POST"]) {
    assertEquals(await session.status(method), 404, method);
  }
  await using client = await connect("2025-11-25");
  assertEquals((await client.call("'next'")).returnValue, "next");
});

Deno.test("HTTP: a 2025 session has one stream for what no request asked for", async () => {
  const session = await RawSession.open(await shared());
  const open = await session.get();
  assertEquals(open.status, 200);
  assertEquals(await session.status("GET"), 409);
  await open.body?.cancel();
  // The server hears of it when the connection is closed.
  let status = 409;
  while (status === 409) status = await session.status("GET");
  assertEquals(status, 200);
});

Deno.test("HTTP: wrong params are an answer, and a method that is gone is not found", async () => {
  const session = await RawSession.open(await shared());
  const wrong = { id: 7, method: "tools/call", params: { name: 5 } };
  const answer = await session.post(wrong);
  const { id, error } = fields(await answer.json());
  assertEquals([answer.status, id, fields(error).code], [200, 7, -32602]);
  const server = await shared();
  const gone = await server.fetch({
    method: "POST",
    headers: {
      ...HEADERS,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "logging/setLevel",
    },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "logging/setLevel" },
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });
  const refusal = fields(fields(await gone.json()).error);
  assertEquals([gone.status, refusal.code], [404, -32601]);
});

Deno.test("HTTP: a call of a 2026 client whose header names another session than its argument is refused, and the official client needs no list of tools before", async () => {
  const server = await shared();
  const name = "run_python_code";
  const args = { ["python_code"]: "1", session: "new" };
  const post = postRequest("tools/call", name, { name, arguments: args });
  const send = async (session?: string) => {
    const { "mcp-param-session": own = "", ...headers } = post.headers;
    const param = session === undefined ? {} : { "mcp-param-session": session };
    const answer = await server.fetch({
      ...post,
      headers: { ...headers, ...HEADERS, ...param },
    });
    assertEquals(own, "new");
    const { error } = fields(await answer.json().catch(() => ({})));
    return [answer.status, fields(error).code];
  };
  assertEquals(await send(), [200, undefined]);
  assertEquals(await send("other"), [400, -32020]);
  assertEquals(await send("new"), [200, undefined]);
  await using client = await server.connect("2026-07-28", { token: OURS });
  const { structured } = await client.call("x = 1", { session: "new" });
  const { returnValue } = await client.call("x", {
    session: structured.session,
  });
  assertEquals(returnValue, 1);
});

const WANTED = { onprogress() {} };

const HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  authorization: `Bearer ${OURS}`,
};

/** A 2025 session, by hand. */
class RawSession {
  #id = 1;

  private constructor(
    private server: HttpServer,
    private headers: Record<string, string>,
  ) {}

  static async open(server: HttpServer, token = OURS): Promise<RawSession> {
    const headers = { ...HEADERS, authorization: `Bearer ${token}` };
    const session = new RawSession(server, headers);
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "raw", version: "1" },
    };
    const response = await session.post({
      id: 0,
      method: "initialize",
      params,
    });
    await response.text();
    session.headers = {
      ...headers,
      "mcp-session-id": response.headers.get("mcp-session-id") ?? "",
      "mcp-protocol-version": "2025-11-25",
    };
    return session;
  }

  post(message: Record<string, unknown>): Promise<Response> {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    return this.server.fetch({ method: "POST", headers: this.headers, body });
  }

  get(headers: Record<string, string> = {}): Promise<Response> {
    return this.server.fetch({ headers: { ...this.headers, ...headers } });
  }

  /** What a request without a body is answered by; leaves the answer unread. */
  async status(method: string): Promise<number> {
    const body = method === "POST"
      ? { body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" }) }
      : {};
    const { headers } = this;
    const response = await this.server.fetch({ method, headers, ...body });
    await response.body?.cancel();
    return response.status;
  }

  /** Runs code, and asks for its progress. */
  async call(code: string): Promise<EventStream> {
    const id = this.#id++;
    const response = await this.post({
      ...{ id, method: "tools/call" },
      params: {
        name: "run_python_code",
        arguments: { python_code: code },
        _meta: { progressToken: id },
      },
    });
    return new EventStream(response, id);
  }

  /** Comes back for what was sent after an event. */
  async resume(event: string | undefined): Promise<EventStream> {
    assert(event !== undefined);
    while (true) {
      const response = await this.get({ "last-event-id": event });
      if (response.status !== 409) return new EventStream(response);
      // The server does not know yet that the last stream is broken.
      await response.body?.cancel();
    }
  }
}

interface EventMessage extends Record<string, unknown> {
  /** Id of the event. */
  event: string;
}

/** Messages of a response; those that only open it are left out. */
class EventStream {
  #reader: ReadableStreamDefaultReader<string>;
  #text = "";

  constructor(response: Response, readonly id?: number) {
    assert(response.body, `${response.status}`);
    assertEquals(response.status, 200);
    this.#reader = response.body.pipeThrough(new TextDecoderStream())
      .getReader();
  }

  async until(method: string): Promise<EventMessage> {
    while (true) {
      const message = await this.#next();
      assert(message, `The stream ended without ${method}`);
      if (message.method === method) return message;
    }
  }

  async toEnd(): Promise<EventMessage[]> {
    const messages: EventMessage[] = [];
    for (let next; (next = await this.#next());) messages.push(next);
    return messages;
  }

  async drop(): Promise<void> {
    await this.#reader.cancel();
  }

  async #next(): Promise<EventMessage | undefined> {
    while (true) {
      const end = this.#text.indexOf("\n\n");
      if (end < 0) {
        const { done, value } = await this.#reader.read();
        if (done) return undefined;
        this.#text += value;
        continue;
      }
      const lines = this.#text.slice(0, end).split("\n");
      this.#text = this.#text.slice(end + 2);
      const field = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2) ?? "";
      const data = field("data");
      if (data) return { ...fields(JSON.parse(data)), event: field("id") };
    }
  }
}

function valueOf(message: EventMessage | undefined): unknown {
  return fields(fields(message?.result).structuredContent).return_value;
}

/** A body that breaks off once a message has come. */
function breakAfterFirst(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { value } = await reader.read();
      if (value) controller.enqueue(value);
      await reader.cancel();
      controller.error(new Error("The connection is lost"));
    },
  });
}
