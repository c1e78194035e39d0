import { assertEquals, assertRejects } from "../deps/assert.ts";
import {
  DeadlineError,
  isOverWithin,
  untilAborted,
  within,
} from "./deadline.ts";

const never = new Promise<never>(() => {});

Deno.test({
  name: "within() gives the value of work that is in time, and leaves no timer",
  sanitizeOps: true,
  async fn() {
    assertEquals(await within(Promise.resolve(7), 60_000), 7);
    const failing = within(Promise.reject(new RangeError("x")), 60_000);
    await assertRejects(() => failing, RangeError);
  },
});

Deno.test("within() names the work that is late", async () => {
  await assertRejects(
    () => within(never, 1, "the store"),
    { name: DeadlineError.name, message: "the store took more than 0.001 s" },
  );
});

Deno.test("isOverWithin() counts a failure as an end, and no lateness", async () => {
  assertEquals(
    await isOverWithin(Promise.reject(new Error("x")), 60_000),
    true,
  );
  assertEquals(await isOverWithin(never, 1), false);
});

Deno.test("untilAborted() throws the reason of its signal", async () => {
  const stop = new AbortController();
  const waiting = untilAborted(never, stop.signal);
  stop.abort(new RangeError("enough"));
  await assertRejects(() => waiting, { name: "RangeError", message: "enough" });
});
