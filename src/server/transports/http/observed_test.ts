import { Share } from "../../../shares.ts";
import { assertEquals, assertMatch } from "../../../../deps/assert.ts";
import { Exchange, setExchange } from "./listener/exchange.ts";
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
  const answer = observed(handler, {
    watch: {
      routes: ["/mcp"],
      noteRequest: (route, status) => void counted.push(`${route} ${status}`),
    },
    log: { write: (level, _, facts) => void logged.push([level, facts]) },
    lines: new Share(10),
  });
  const ask = (path: string, exchange = new Exchange()) => {
    const request = new Request(`http://localhost${path}`);
    setExchange(request, exchange);
    return answer(request);
  };
  return { ask, counted, logged };
}

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
