import { Share } from "../../../../shares.ts";
import { assertEquals, assertMatch } from "../../../../../deps/assert.ts";
import { Server } from "../../../../../deps/mcp_server.ts";
import { INITIALIZE } from "../../../../../test/support/mcp_post.ts";
import { CallsUnderWay } from "../../../calls_under_way.ts";
import { Exchange, setExchange } from "../listener/exchange.ts";
import { McpSessions } from "./mcp_sessions.ts";

const URL_OF_MCP = "http://localhost/mcp";

function openSessions(maxMcpSessions: number) {
  const calls = new CallsUnderWay();
  const clock = { now: 0 };
  const host = {
    calls,
    createServer: () => new Server({ name: "test", version: "1" }),
  };
  const shares = {
    mcpSessions: new Share(maxMcpSessions),
    events: new Share(2 ** 27),
  };
  const size = () => shares.mcpSessions.status.used;
  const sessions = new McpSessions(
    host,
    shares,
    () => {},
    "one",
    () => clock.now,
  );
  return {
    ...{ sessions, calls, clock, size },
    async open(name = "a", headers = INITIALIZE.headers): Promise<string> {
      const response = await sessions.answer(
        new Request(URL_OF_MCP, { ...INITIALIZE, headers }),
        { name, isKnown: true },
        JSON.parse(INITIALIZE.body),
      );
      await response.text();
      return response.headers.get("mcp-session-id") ?? `${response.status}`;
    },
    /** Makes a request of a session, which is answered; gives its status. */
    async use(id: string, method: "POST" | "DELETE" = "POST", more = {}) {
      const own = { ...INITIALIZE.headers, "mcp-session-id": id };
      const headers = { ...own, ...more };
      const ping = { jsonrpc: "2.0", id: 7, method: "ping" } as const;
      const body = method === "POST" ? ping : undefined;
      const request = new Request(URL_OF_MCP, {
        ...{ method, headers, body: body ? JSON.stringify(body) : null },
      });
      const exchange = new Exchange();
      exchange.end();
      setExchange(request, exchange);
      const caller = { name: "a", isKnown: true };
      const response = await sessions.answer(request, caller, body);
      await response.text();
      return response.status;
    },
    /** Opens the stream of a session; gives its status. */
    async listen(id: string, name = "a"): Promise<number> {
      const request = new Request(URL_OF_MCP, {
        headers: { accept: "text/event-stream", "mcp-session-id": id },
      });
      setExchange(request, new Exchange());
      const caller = { name, isKnown: true };
      return (await sessions.answer(request, caller)).status;
    },
  };
}

Deno.test("McpSessions ends the least recently used session without a stream or call", async () => {
  const { open, listen, calls } = openSessions(3);
  const [streaming, calling, idle] = [await open(), await open(), await open()];
  await listen(streaming);
  using _call = calls.enter({ name: "a", connection: calling });
  await open();
  assertEquals(await listen(idle), 404);
  assertEquals(await listen(calling), 200);
});

Deno.test("McpSessions opens no session if each has a call", async () => {
  const { open, listen, calls } = openSessions(1);
  const calling = await open();
  const call = calls.enter({ name: "a", connection: calling });
  assertEquals(await open(), "503");
  call[Symbol.dispose]();
  await open();
  assertEquals(await listen(calling), 404);
});

Deno.test("McpSessions ends sessions of the caller that has most", async () => {
  const { open, listen } = openSessions(3);
  const honest = await open("honest");
  for (let count = 0; count < 10; count++) await open("greedy");
  assertEquals(await listen(honest, "honest"), 200);
});

Deno.test("McpSessions finds an idle session though the caller that has most has none", async () => {
  const { open, listen, calls } = openSessions(3);
  const idle = await open("honest");
  const busy = [await open("greedy"), await open("greedy")];
  using _one = calls.enter({ name: "greedy", connection: busy[0] });
  using _two = calls.enter({ name: "greedy", connection: busy[1] });
  assertMatch(await open("next"), /^one\.[\da-f-]{36}$/);
  assertEquals(await listen(idle, "honest"), 404);
});

Deno.test("McpSessions ends a session that was not used for an hour", async () => {
  const { open, listen, clock } = openSessions(10);
  const [idle, streaming] = [await open(), await open()];
  await listen(streaming);
  clock.now = 3_600_001;
  await open();
  assertEquals(await listen(idle), 404);
  // It has a stream already.
  assertEquals(await listen(streaming), 409);
});

Deno.test("McpSessions counts an hour from the last use of a session", async () => {
  const { open, use, clock } = openSessions(10);
  const [used, idle] = [await open(), await open()];
  clock.now = 3_540_000;
  assertEquals(await use(used), 200);
  clock.now = 3_660_000;
  await open();
  assertEquals([await use(used), await use(idle)], [200, 404]);
});

Deno.test("McpSessions takes the id of a request again that the SDK has refused", async () => {
  const { open, use } = openSessions(10);
  const id = await open();
  const refused = await use(id, "POST", { accept: "application/json" });
  assertEquals([refused, await use(id)], [406, 200]);
});

Deno.test("McpSessions forgets a session that its client ends", async () => {
  const { open, use, size } = openSessions(10);
  const ended = await open();
  assertEquals([await use(ended, "DELETE"), size()], [200, 0]);
  assertEquals(await use(ended), 404);
});

Deno.test("McpSessions opens no more than there may be if many clients come together", async () => {
  const { open, size } = openSessions(3);
  await Promise.all(Array.from({ length: 10 }, () => open()));
  assertEquals(size(), 3);
});

Deno.test("McpSessions keeps no session that the SDK refuses", async () => {
  const { open, size } = openSessions(3);
  const { accept: _, ...headers } = INITIALIZE.headers;
  assertEquals(await open("a", headers), "406");
  assertEquals(size(), 0);
});
