import { assert, assertEquals, assertMatch } from "../../../../deps/assert.ts";
import { serveNetwork } from "../../../sandbox/http_sender.ts";
import type { Json } from "../../../protocol/run_result.ts";
import { openHttp } from "./http_request.ts";

type Handler = (request: Request) => Response | Promise<Response>;

/** `http_request()` and a web server on loopback. */
function open(handler: Handler, bounds?: Parameters<typeof openHttp>[1]) {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    handler,
  );
  const { port1, port2 } = new MessageChannel();
  const served = serveNetwork(port1, {
    hosts: ["127.0.0.1"],
    onWord() {},
    onReached() {},
    onTaken() {},
  });
  const http = openHttp(port2, bounds);
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    port: server.addr.port,
    send: (args: Json[], kwargs: Record<string, Json> = {}) =>
      sent(http, args, kwargs),
    async [Symbol.asyncDispose]() {
      http.close();
      served[Symbol.dispose]();
      port1.close();
      await server.shutdown();
    },
  };
}

/** A value as JSON text, or an error as `type: message`. */
async function sent(
  http: ReturnType<typeof openHttp>,
  args: Json[],
  kwargs: Record<string, Json> = {},
): Promise<string> {
  const answer = await http.request({ name: "http_request", args, kwargs });
  return "value" in answer
    ? JSON.stringify(answer.value)
    : `${answer.error.type}: ${answer.error.message}`;
}

/** Status, headers and body. */
function read(text: string) {
  const { Tuple: [status, headers, body] } = JSON.parse(text);
  const pairs: [{ String: string }, { String: string }][] = headers.Dict;
  return {
    status: status.Int,
    headers: new Map(pairs.map(([name, value]) => [name.String, value.String])),
    body,
  };
}

const echo: Handler = async (request) =>
  Response.json([
    request.method,
    new URL(request.url).pathname,
    request.headers.get("x-own"),
    request.headers.get("authorization"),
    request.headers.get("cookie"),
    await request.text(),
  ]);

Deno.test("http_request() gives status, headers and body", async () => {
  await using net = open((request) => {
    if (request.url.endsWith("/bytes")) {
      return new Response(new Uint8Array([255]), { status: 201 });
    }
    const headers = new Headers([["set-cookie", "a=1"], ["set-cookie", "b=2"]]);
    return new Response("é", { headers });
  });
  const text = read(await net.send([net.origin]));
  assertEquals([text.status, text.body], [200, { String: "é" }]);
  assertEquals(text.headers.get("set-cookie"), "a=1, b=2");
  const bytes = read(await net.send([`${net.origin}/bytes`]));
  assertEquals([bytes.status, bytes.body], [201, { Bytes: "/w==" }]);
});

Deno.test("http_request() sends method, headers and body", async () => {
  await using net = open(echo);
  const of = async (...given: Parameters<typeof net.send>) =>
    JSON.parse(read(await net.send(...given)).body.String);
  const headers = { "x-own": "1" };
  assertEquals(await of([net.origin, "put", headers, "é"]), [
    ...["PUT", "/", "1", null, null, "é"],
  ]);
  const kwargs = { url: net.origin, body: { Bytes: btoa("b") } };
  assertEquals((await of([], kwargs)).at(0), "POST");
  assertEquals((await of([net.origin, null, null, null])).at(0), "GET");
});

Deno.test("http_request() follows redirects, and keeps secrets for their host", async () => {
  await using other = open(echo);
  await using net = open((request) => {
    const { pathname } = new URL(request.url);
    const [, status, where] = pathname.split("/");
    if (!Number(status)) return echo(request);
    const location = where === "other" ? `${other.origin}/there` : "/here";
    return new Response(null, {
      status: Number(status),
      headers: { location },
    });
  });
  const headers = { Authorization: "A", Cookie: "C", "x-own": "1" };
  const go = async (method: string, path: string) => {
    const body = method === "POST" ? "data" : null;
    const answer = await net.send([net.origin + path, method, headers, body]);
    return JSON.parse(read(answer).body.String);
  };
  const here = (method: string, body = "") => [
    ...[method, "/here", "1", "A", "C", body],
  ];
  for (const status of [301, 302, 303]) {
    assertEquals(await go("POST", `/${status}`), here("GET"));
    assertEquals(await go("GET", `/${status}`), here("GET"));
  }
  for (const status of [307, 308]) {
    assertEquals(await go("POST", `/${status}`), here("POST", "data"));
  }
  const there = ["GET", "/there", "1", null, null, ""];
  assertEquals(await go("GET", "/307/other"), there);
});

Deno.test("http_request() bounds redirects, the body and the time", async () => {
  const bounds = { timeoutMs: 60_000, bodyBytes: 10, redirects: 2 };
  const ended = Promise.withResolvers<void>();
  const handler: Handler = async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/never") {
      request.signal.addEventListener("abort", () => ended.resolve());
      await ended.promise;
    }
    if (pathname === "/loop") return Response.redirect(request.url);
    return new Response("x".repeat(Number(pathname.slice(1)) || 0));
  };
  {
    await using net = open(handler, bounds);
    const { origin, port } = net;
    assertEquals(
      await net.send([`${origin}/loop`]),
      `OSError: The request to "127.0.0.1:${port}" led to more than 2 redirects`,
    );
    const full = read(await net.send([`${origin}/10`]));
    assertEquals(full.body.String.length, 10);
    assertEquals(
      await net.send([`${origin}/11`]),
      `OSError: The response of "127.0.0.1:${port}" has more than 10 bytes, the most that http_request() takes`,
    );
  }
  await using net = open(handler, { ...bounds, timeoutMs: 200 });
  assertEquals(
    await net.send([`${net.origin}/never`]),
    `TimeoutError: "127.0.0.1:${net.port}" took more than 0.2 s`,
  );
  // The request itself has ended, too.
  await ended.promise;
});

Deno.test("http_request() raises the reason why there is no response", async () => {
  const closed = openHttp(undefined);
  assertEquals(
    await sent(closed, ["https://example.com/x"]),
    `PermissionError: No network access to "example.com:443": ask the user to start the server with --allow-net example.com`,
  );
  assertMatch(await sent(closed, ["file:///etc/passwd"]), /^OSError: Cannot/);
  await using net = open((request) =>
    request.url.endsWith("/file")
      ? new Response(null, { status: 302, headers: { location: "file:///a" } })
      : new Response()
  );
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  assertEquals(
    await net.send([`http://127.0.0.1:${port}`]),
    `OSError: "127.0.0.1:${port}" refused the connection`,
  );
  assertMatch(await net.send([`${net.origin}/file`]), /^OSError: /);
  assertMatch(await net.send(["no url"]), /^OSError: /);
  const many = { "x-own": "x".repeat(70_000) };
  assertMatch(
    await net.send([net.origin, "GET", many]),
    /^OSError: Cannot send a request whose .* more than 65536 characters/,
  );
});

Deno.test("http_request() refuses wrong arguments in the words of CPython", async () => {
  const http = openHttp(undefined);
  const cases: [Json[], Record<string, Json>, string][] = [
    [[], {}, "missing 1 required positional argument: 'url'"],
    [
      ["u", 1, 2, 3, 4],
      {},
      "takes from 1 to 4 positional arguments but 5 were given",
    ],
    [["u"], { verify: false }, "got an unexpected keyword argument 'verify'"],
    [["u"], { url: "u" }, "got multiple values for argument 'url'"],
    [[1], {}, "argument 'url' must be str, not int"],
    [["u", 1.5], {}, "argument 'method' must be str, not float"],
    [["u", "GET", []], {}, "argument 'headers' must be dict, not list"],
    [["u", "GET", { a: null }], {}, "header 'a' must be str, not NoneType"],
    [
      ["u"],
      { body: { a: 1 } },
      "argument 'body' must be str or bytes, not dict",
    ],
    [
      ["u"],
      { headers: { Bytes: "" } },
      "argument 'headers' must be dict, not bytes",
    ],
  ];
  for (const [args, kwargs, words] of cases) {
    assertEquals(
      await sent(http, args, kwargs),
      `TypeError: http_request() ${words}`,
    );
  }
});

Deno.test("http_request() ends a request with its run", async () => {
  const { port1, port2 } = new MessageChannel();
  const http = openHttp(port2);
  const asked = Promise.withResolvers<void>();
  port1.onmessage = () => asked.resolve();
  const answer = sent(http, ["http://example.com"]);
  await asked.promise;
  http.close();
  assert((await answer).includes("ended before its response"));
  port1.close();
});
