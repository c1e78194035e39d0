import { assertEquals } from "../../../deps/assert.ts";
import { bytesOf } from "../../../test/support/pieces.ts";
import { Quiet } from "./quiet.ts";

const LONG_MS = 60_000;

/** Has four pieces taken; gives those that were. */
function takeFour(quiet: Quiet, mostMs: number, isUrgent: () => boolean) {
  const numbers: number[] = [];
  const take = quiet.yielding(
    (piece) => {
      numbers.push(bytesOf(piece)[0] ?? NaN);
      return Promise.resolve();
    },
    mostMs,
    isUrgent,
  );
  const all = [1, 2, 3, 4].map((one) => take(new Uint8Array([one])));
  return { numbers, taken: Promise.all(all) };
}

Deno.test("Quiet has pieces wait for runs, each for so long at most", async () => {
  const quiet = new Quiet();
  const [one, two] = [quiet.enter(), quiet.enter()];
  const { numbers, taken } = takeFour(quiet, LONG_MS, () => false);
  one[Symbol.dispose]();
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(numbers, []);
  two[Symbol.dispose]();
  await taken;
  assertEquals(numbers, [1, 2, 3, 4]);
  using _run = quiet.enter();
  const late = takeFour(quiet, 1, () => false);
  await late.taken;
  assertEquals(late.numbers, [1, 2, 3, 4]);
});

Deno.test("Quiet keeps the order of pieces that become urgent", async () => {
  const quiet = new Quiet();
  let isUrgent = false;
  using _run = quiet.enter();
  const { numbers, taken } = takeFour(quiet, 1, () => isUrgent);
  isUrgent = true;
  await taken;
  assertEquals(numbers, [1, 2, 3, 4]);
  const urgent = takeFour(quiet, LONG_MS, () => true);
  await urgent.taken;
  assertEquals(urgent.numbers, [1, 2, 3, 4]);
});
