import { assertEquals, assertRejects } from "../../deps/assert.ts";
import { Lead, Receipts, Window } from "./window.ts";

const turn = () => new Promise((resolve) => setTimeout(resolve));

Deno.test("Window lets lines through while there is room, then in the order of calls", async () => {
  const window = new Window(10);
  const order: number[] = [];
  const enter = (line: number, bytes: number) =>
    window.pass(bytes, () => Promise.resolve(void order.push(line)));
  for (const [line, bytes] of [[1, 9], [2, 100], [3, 5], [4, 1]] as const) {
    enter(line, bytes);
  }
  await turn();
  assertEquals([order, window.waiting], [[1, 2], 6]);
  window.leave(9);
  await turn();
  assertEquals(order, [1, 2]);
  window.leave(100);
  enter(5, 1);
  await turn();
  assertEquals([order, window.waiting], [[1, 2, 3, 4, 5], 0]);
});

Deno.test("Window lets no line overtake those that wait", async () => {
  const window = new Window(10);
  const order: string[] = [];
  const write = (line: string) => () => Promise.resolve(void order.push(line));
  await window.pass(20, write("first"));
  window.pass(20, write("early"));
  window.leave(5);
  window.pass(1, write("late"));
  assertEquals(order, ["first"]);
  window.leave(15);
  assertEquals(order, ["first", "early"]);
  window.leave(20);
  assertEquals(order, ["first", "early", "late"]);
});

Deno.test("Window tells when little waits", async () => {
  const window = new Window(10);
  const write = () => Promise.resolve();
  for (const bytes of [10, 30, 30]) window.pass(bytes, write);
  let isLow = false;
  const low = window.below(40).then(() => isLow = true);
  await turn();
  assertEquals(isLow, false);
  window.leave(10);
  await low;
  assertEquals(window.waiting, 30);
});

Deno.test("Receipts tell often enough that a window never stays shut", async () => {
  const window = new Window(100);
  let told = 0;
  const receipts = new Receipts(100, (bytes) => {
    told++;
    window.leave(bytes);
  });
  for (let line = 0; line < 1000; line++) {
    const bytes = [1, 7, 99, 100, 101, 1000][line % 6] ?? 1;
    await window.pass(bytes, () => Promise.resolve());
    receipts.take(bytes);
  }
  assertEquals(told < 1000, true);
});

Deno.test("Lead.take() goes on while few bytes are under way, and waits for a line that makes them too many", async () => {
  const lead = new Lead(10);
  const lines = [4, 6, 1].map((bytes) => ({
    bytes,
    ...Promise.withResolvers<void>(),
  }));
  const taken: number[] = [];
  const [one, two, three] = lines.map(({ bytes, promise }) =>
    lead.take(bytes, promise).then(() => taken.push(bytes))
  );
  await Promise.all([one, two]);
  assertEquals(taken, [4, 6]);
  for (const { resolve } of lines) resolve();
  await three;
  assertEquals(taken, [4, 6, 1]);
  await lead.take(10, new Promise(() => {}));
});

Deno.test("Lead.take() fails once a line has failed", async () => {
  const lead = new Lead(10);
  await lead.take(1, Promise.reject(new Error("gone")));
  await assertRejects(() => lead.take(1, Promise.resolve()));
});
