import { assertEquals } from "../../../../../deps/assert.ts";
import { Admission } from "./admission.ts";
import { setExchange } from "../listener/exchange.ts";

const SETTINGS = { maxClientRequests: 2, maxClientRate: 3 };
const ask = (method = "POST") =>
  new Request("http://localhost/mcp", { method });

Deno.test("Admission bounds the requests of a caller that wait for answers", async () => {
  const admission = new Admission({ ...SETTINGS, maxClientRate: 100 });
  const ends: (() => void)[] = [];
  const take = (caller: string, method?: string) => {
    const request = ask(method);
    const ended = new Promise<void>((resolve) => ends.push(resolve));
    setExchange(request, { ended });
    return admission.maybeRefuse(request, caller)?.status;
  };
  assertEquals([take("a"), take("a"), take("a")], [undefined, undefined, 429]);
  assertEquals([take("b"), take("a", "GET")], [undefined, undefined]);
  ends[0]?.();
  await Promise.resolve();
  await Promise.resolve();
  assertEquals([take("a"), take("a")], [undefined, 429]);
});

Deno.test("Admission bounds the requests of a caller in a second", () => {
  let now = 0;
  const admission = new Admission(SETTINGS, () => now);
  const take = (caller: string) =>
    admission.maybeRefuse(ask("GET"), caller)?.status;
  const four = (caller: string) =>
    Array.from({ length: 4 }, () => take(caller));
  assertEquals(four("a"), [undefined, undefined, undefined, 429]);
  assertEquals(take("b"), undefined);
  now = 334;
  assertEquals([take("a"), take("a")], [undefined, 429]);
  now = 100_000;
  assertEquals(four("a"), [undefined, undefined, undefined, 429]);
});

Deno.test("Admission remembers a bounded number of callers", () => {
  const admission = new Admission({ ...SETTINGS, maxClientRate: 1 });
  admission.maybeRefuse(ask("GET"), "first");
  for (let count = 0; count < 10_000; count++) {
    admission.maybeRefuse(ask("GET"), `caller ${count}`);
  }
  // Forgotten, it has its whole allowance again.
  assertEquals(admission.maybeRefuse(ask("GET"), "first"), undefined);
});
