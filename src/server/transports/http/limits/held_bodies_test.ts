import { Share } from "../../../../shares.ts";
import { assert, assertEquals } from "../../../../../deps/assert.ts";
import { CallsUnderWay } from "../../../calls_under_way.ts";
import { Exchange, setExchange } from "../listener/exchange.ts";
import { holdBody } from "./held_bodies.ts";

const MIB = 2 ** 20;

function openBodies() {
  const calls = new CallsUnderWay();
  const share = new Share(16 * MIB);
  const send = (caller: string) => {
    const request = new Request("http://localhost/mcp");
    const exchange = new Exchange();
    setExchange(request, exchange);
    const end = { resolve: () => exchange.end() };
    return { take: holdBody(request, caller, share, calls), request, end };
  };
  /** Bodies of the largest size that a caller finds room for. */
  const fill = (caller: string) => {
    let count = 0;
    while (send(caller).take(MIB)) count++;
    return count;
  };
  return { calls, send, fill };
}

Deno.test("holdBody() leaves half of the room to other callers, and all to one", () => {
  const { fill, send } = openBodies();
  assert(send("b").take(MIB));
  assertEquals([fill("a"), fill("b")], [8, 7]);
  assertEquals([fill("c"), send("c").take(65_536)], [1, true]);
  assertEquals(openBodies().fill("local"), 17);
});

Deno.test("holdBody() holds a body until its request and its call have ended", async () => {
  const { calls, send } = openBodies();
  const sent = Array.from({ length: 17 }, () => send("a"));
  for (const { take } of sent) assertEquals(take(MIB), true);
  const [first, second] = sent;
  const isFull = async () => {
    await Promise.resolve();
    const { take, end } = send("a");
    const isFull = !take(MIB);
    end.resolve();
    await new Promise((resolve) => setTimeout(resolve));
    return isFull;
  };
  assertEquals(await isFull(), true);
  const call = calls.enter(
    { name: "a", connection: undefined },
    first?.request,
  );
  first?.end.resolve();
  assertEquals(await isFull(), true);
  call[Symbol.dispose]();
  assertEquals(await isFull(), false);
  second?.end.resolve();
  assertEquals(await isFull(), false);
});
