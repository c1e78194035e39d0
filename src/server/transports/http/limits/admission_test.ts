import { Share } from "../../../../shares.ts";
import { assertEquals } from "../../../../../deps/assert.ts";
import { Admission } from "./admission.ts";
import { Exchange, setExchange } from "../listener/exchange.ts";

const SETTINGS = { maxClientRate: 3 };
const ask = (method = "POST") =>
  new Request("http://localhost/mcp", { method });

Deno.test("Admission bounds the requests of a caller that wait for answers", async () => {
  const admission = new Admission({ maxClientRate: 100 }, new Share(4));
  const ends: (() => void)[] = [];
  const take = (caller: string, method?: string) => {
    const request = ask(method);
    const exchange = Object.assign(new Exchange(), { caller });
    ends.push(() => exchange.end());
    setExchange(request, exchange);
    const refused = admission.maybeRefuse(request, caller);
    assertEquals(refused?.headers.get("retry-after"), refused && "1");
    return refused?.status;
  };
  assertEquals([take("b"), take("a"), take("a")], [
    ...[undefined, undefined, undefined],
  ]);
  assertEquals([take("a"), take("a", "GET")], [429, undefined]);
  ends.shift();
  ends[0]?.();
  await Promise.resolve();
  await Promise.resolve();
  assertEquals([take("a"), take("a")], [undefined, 429]);
});

Deno.test("Admission has a request answered that waits for a long run, if another caller needs the place", async () => {
  const admission = new Admission({ maxClientRate: 100 }, new Share(2));
  const answered: string[] = [];
  const take = (caller: string, answerSoon?: () => void) => {
    const request = ask();
    const exchange = Object.assign(new Exchange(), { caller, answerSoon });
    setExchange(request, exchange);
    return admission.maybeRefuse(request, caller)?.status;
  };
  const wait = () => take("a", () => answered.push("a"));
  assertEquals([wait(), wait(), wait()], [undefined, undefined, 429]);
  assertEquals(answered, []);
  assertEquals([take("b"), answered.length], [undefined, 1]);
  // Its half is its own.
  assertEquals([take("b"), answered.length], [429, 1]);
  await Promise.resolve();
});

Deno.test("Admission bounds the requests of a caller in a second", () => {
  let now = 0;
  const admission = new Admission(SETTINGS, new Share(2), () => now);
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
  const admission = new Admission({ maxClientRate: 1 }, new Share(2));
  admission.maybeRefuse(ask("GET"), "first");
  for (let count = 0; count < 10_000; count++) {
    admission.maybeRefuse(ask("GET"), `caller ${count}`);
  }
  // Forgotten, it has its whole allowance again.
  assertEquals(admission.maybeRefuse(ask("GET"), "first"), undefined);
});
