import { Share } from "../../../shares.ts";
import { assertEquals, assertMatch } from "../../../../deps/assert.ts";
import { Exchange, setExchange } from "./listener/exchange.ts";
import { RunLog } from "../../run_log.ts";
import { refusedBy, refuseHttp } from "./refusals.ts";
import type { Handler } from "./handler.ts";
import { observed, toHandler } from "./handler.ts";

Deno.test("toHandler() lets anyone read an open path, unless callers have it", async () => {
  const settings = { allowedHosts: [], allowedOrigins: [], httpPath: "/mcp" };
  const refusal = () => new Response(null, { status: 401 });
  const answer = toHandler(settings, {
    admission: { refuseAtEnd: () => undefined, maybeRefuse: () => undefined },
    identify: () => Promise.resolve(refusal()),
  }, {
    open: { "/": () => new Response(), "/mcp": () => new Response() },
    forCallers: { "/mcp": () => new Response() },
  });
  const ask = async (path: string, method = "GET") => {
    const request = new Request(`http://localhost${path}`, { method });
    return (await answer(request)).status;
  };
  assertEquals([await ask("/"), await ask("/", "HEAD")], [200, 200]);
  assertEquals([await ask("/", "POST"), await ask("/other")], [404, 404]);
  assertEquals(await ask("/mcp"), 401);
  assertEquals(await ask("/constructor"), 404);
});

function observe(handler: Handler) {
  const counted: string[] = [];
  const logged: [level: string, facts: object][] = [];
  const audited: [event: string, facts: object][] = [];
  const answer = observed(handler, {
    watch: {
      routes: ["/mcp"],
      noteRequest: (route, status) => void counted.push(`${route} ${status}`),
    },
    log: { write: (level, _, facts) => void logged.push([level, facts]) },
    audit: {
      write: (...[, event, facts]) => void audited.push([event, facts]),
    },
    runs: new RunLog([]),
    lines: new Share(10),
  });
  const ask = (path: string, exchange = new Exchange(), headers = {}) => {
    const request = new Request(`http://localhost${path}`, { headers });
    setExchange(request, exchange);
    return answer(request);
  };
  return { ask, audited, counted, logged };
}

Deno.test("observed() audits a refusal with caller, reason and option, and tells its id to the client", async () => {
  const { ask, audited, logged } = observe(() =>
    Promise.resolve(refusedBy("--max-client-rate", refuseHttp(429, "too many")))
  );
  const named = Object.assign(new Exchange(), { caller: "ada" });
  const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  const headers = { traceparent, "x-request-id": "r-1" };
  const response = await ask("/mcp", named, headers);
  const id = response.headers.get("x-run-id");
  const { error } = await response.json();
  assertEquals(error.data, { "mcp-run-python/run": id });
  const facts = {
    ...{ id, caller: "ada", status: 429, reason: "too many" },
    ...{ option: "--max-client-rate", method: "GET", path: "/mcp" },
    ...{ host: "localhost", origin: "", traceparent, request_id: "r-1" },
  };
  assertEquals(audited, [["refused", facts]]);
  assertEquals(logged, [["warning", facts]]);
});

Deno.test("observed() neither logs nor audits a 404 of the protocol, and another one is no warning", async () => {
  const other = observe(() =>
    Promise.resolve(Response.json({}, { status: 404 }))
  );
  assertEquals((await other.ask("/mcp")).headers.get("x-run-id"), null);
  assertEquals([other.logged, other.audited], [[], []]);
  const { ask, audited, logged } = observe(() =>
    Promise.resolve(refuseHttp(404, "nothing is here"))
  );
  await ask("/none");
  assertEquals([logged.map(([level]) => level), audited.length], [["info"], 1]);
});

Deno.test("observed() counts requests by their route, and other paths as one", async () => {
  const { ask, counted } = observe(() => Promise.resolve(new Response()));
  for (const path of ["/mcp", "/mcp?x", "/a", "/b"]) await ask(path);
  assertEquals(counted, ["/mcp 200", "/mcp 200", "other 200", "other 200"]);
});

Deno.test("observed() logs refusals, and of a flood the first ones", async () => {
  const refuse = () => Promise.resolve(new Response(null, { status: 401 }));
  const { ask, logged } = observe(refuse);
  for (let sent = 0; sent < 100; sent++) await ask("/mcp");
  assertEquals(logged.length, 5);
  // Half is for callers with a name.
  const named = Object.assign(new Exchange(), { caller: "a" });
  for (let sent = 0; sent < 100; sent++) await ask("/mcp", named);
  assertEquals(logged.length, 10);
});

Deno.test("observed() logs an unreachable issuer like refusals, by caller", async () => {
  const fail = () => Promise.resolve(new Response(null, { status: 503 }));
  const { ask, logged } = observe(fail);
  await ask("/mcp");
  assertEquals(logged, []);
  const failed = Object.assign(new Exchange(), { reason: "no keys" });
  for (let sent = 0; sent < 100; sent++) await ask("/mcp", failed);
  assertEquals(logged.length, 5);
  assertMatch(JSON.stringify(logged[0]), /"warning".*"reason":"no keys"/);
});

Deno.test("observed() leaves lines to a caller beside another's flood", async () => {
  const refuse = () => Promise.resolve(new Response(null, { status: 429 }));
  const { ask, logged } = observe(refuse);
  const by = (caller: string) => Object.assign(new Exchange(), { caller });
  await ask("/mcp", by("a"));
  for (let sent = 0; sent < 100; sent++) await ask("/mcp", by("b"));
  assertEquals(logged.length, 6);
  await ask("/mcp", by("c"));
  assertEquals(logged.length, 7);
});

Deno.test("observed() answers a fault of ours, and logs its cause", async () => {
  const { ask, counted, logged } = observe(() =>
    Promise.reject(new TypeError("a bug"))
  );
  const { status } = await ask("/mcp");
  assertEquals([status, counted], [500, ["/mcp 500"]]);
  assertMatch(JSON.stringify(logged), /"error".*TypeError: a bug/);
});
