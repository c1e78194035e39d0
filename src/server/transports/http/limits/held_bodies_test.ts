import { assertEquals } from "../../../../../deps/assert.ts";
import { CallsUnderWay } from "../../../calls_under_way.ts";
import { setExchange } from "../listener/exchange.ts";
import { HeldBodies } from "./held_bodies.ts";

const MIB = 2 ** 20;
const TOKENS = [{ name: "a", sha256: "" }];

function openBodies(tokens = TOKENS) {
  const calls = new CallsUnderWay();
  const bodies = new HeldBodies(calls, {
    ...{ maxBodyMiB: 1, tokens, oauth: undefined },
  });
  const send = (caller: string) => {
    const request = new Request("http://localhost/mcp");
    const end = Promise.withResolvers<void>();
    setExchange(request, { ended: end.promise });
    return { take: bodies.open(request, caller), request, end };
  };
  /** Bodies of the largest size that a caller finds room for. */
  const fill = (caller: string) => {
    let count = 0;
    while (send(caller).take(MIB)) count++;
    return count;
  };
  return { calls, send, fill };
}

Deno.test("HeldBodies leaves half of the room to other callers, and all to one", () => {
  const { fill, send } = openBodies();
  assertEquals([fill("a"), fill("b")], [8, 8]);
  assertEquals([send("c").take(MIB), send("c").take(65_536)], [false, true]);
  assertEquals(openBodies([]).fill("local"), 17);
});

Deno.test("HeldBodies holds a body until its request and its call have ended", async () => {
  const { calls, send } = openBodies();
  const sent = Array.from({ length: 8 }, () => send("a"));
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
