import { assertEquals, assertRejects } from "../../../../deps/assert.ts";
import type { ToNetwork } from "../../../protocol/http_exchange.ts";
import { connectNetwork } from "./http_exchange.ts";

Deno.test("connectNetwork() asks by numbers that it was given, before a rewind and after", async () => {
  const { port1, port2 } = new MessageChannel();
  const asked: ToNetwork[] = [];
  port2.onmessage = ({ data }) => {
    asked.push(data);
    port2.postMessage({ type: "part", id: data.id, part: undefined });
  };
  const network = connectNetwork(port1, () => {}, () => true);
  const { makeId, read, begin } = network.forPython;
  const own = makeId();
  await read(own);
  network.forget();
  // The next run will be given the first of these.
  for (const number of [1, 2, 0, -1, NaN, Infinity]) {
    await assertRejects(() => read(number), /no such request/);
    await assertRejects(() => begin(number, "{}"), /no such request/);
  }
  assertEquals(makeId(), 1);
  await read(1);
  assertEquals(asked.map(({ id }) => id), [1, 2]);
  port1.close();
  port2.close();
});
