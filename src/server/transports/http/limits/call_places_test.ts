import type { JSONRPCMessage } from "../../../../../deps/mcp_server.ts";
import { Share } from "../../../../shares.ts";
import {
  assert,
  assertEquals,
  assertMatch,
} from "../../../../../deps/assert.ts";
import { CallsUnderWay } from "../../../calls_under_way.ts";
import { CallPlaces } from "./call_places.ts";
import { Exchange, setExchange } from "../listener/exchange.ts";

const toRead = (uri: string) => ({
  ...CALL,
  method: "resources/read",
  params: { uri },
});

const CALL = {
  ...{ jsonrpc: "2.0" as const, id: 7, method: "tools/call" },
  params: { name: "run_python_code" },
};

function openPlaces(waiting = 3) {
  const calls = new CallsUnderWay();
  const places = new CallPlaces(new Share(1 + waiting), calls, {
    sizes: { ready: 1, running: 1, waiting },
    retrySeconds: () => 5,
  });
  const ask = (name: string, message: JSONRPCMessage = CALL) => {
    const request = new Request("http://localhost/mcp", {
      headers: { "mcp-session-id": "session" },
    });
    const exchange = new Exchange();
    setExchange(request, exchange);
    const end = { resolve: () => exchange.end(), promise: exchange.ended };
    const caller = { name, isKnown: true };
    return {
      refused: places.maybeRefuse(message, request, caller),
      request,
      end,
    };
  };
  return { calls, ask };
}

Deno.test("CallPlaces refuses calls once all places are taken, with the id", async () => {
  const { ask, calls } = openPlaces();
  for (let count = 0; count < 4; count++) {
    assertEquals(ask("a").refused, undefined);
  }
  assert(calls.isConnectionBusy("session"));
  const { refused } = ask("a");
  assertEquals([refused?.status, refused?.headers.get("retry-after")], [
    ...[429, "5"],
  ]);
  const { id, error } = await refused?.json();
  assertEquals(id, 7);
  assertMatch(error.message, /1 to run, 3 to wait/);
  const list = { ...CALL, method: "tools/list" };
  assertEquals(ask("a", list).refused, undefined);
  const look = toRead("run-python://sessions/handle");
  assertEquals(ask("a", look).refused?.status, 429);
  assertEquals(ask("a", toRead("run-python://packages")).refused, undefined);
});

Deno.test("CallPlaces leaves half of the places to other callers", () => {
  const { ask } = openPlaces();
  assertEquals(ask("b").refused, undefined);
  assertEquals([ask("a").refused, ask("a").refused], [undefined, undefined]);
  assertEquals(ask("a").refused?.status, 429);
  assertEquals(ask("b").refused, undefined);
});

Deno.test("CallPlaces gives the place of a call free once the call has ended", async () => {
  const { ask, calls } = openPlaces(0);
  const { end } = ask("a");
  end.resolve();
  await calls.none();
  const { request, end: gone } = ask("a");
  const call = calls.enter({ name: "a", connection: undefined }, request);
  // A call whose client is gone goes on.
  gone.resolve();
  await gone.promise;
  assertEquals(ask("a").refused?.status, 429);
  call[Symbol.dispose]();
  assertEquals(ask("a").refused, undefined);
});

Deno.test("CallPlaces has a call that waits to run leave its place to another caller", async () => {
  const { ask, calls } = openPlaces(1);
  const [first, second] = [ask("a"), ask("a")].map(({ request }) =>
    calls.enter({ name: "a", connection: undefined }, request)
  );
  first!.wait();
  second!.wait();
  assertEquals(ask("a").refused?.status, 429, "its own");
  first!.endWait();
  assertEquals(ask("b").refused, undefined);
  assert(!first!.leaving.aborted, "it runs");
  assert(second!.leaving.aborted);
  assertMatch(await second!.left, /another client.*Try again in about 5 s/);
});
