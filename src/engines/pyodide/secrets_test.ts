import { assert, assertEquals, assertThrows } from "../../../deps/assert.ts";
import type { Range } from "./worker/snapshot.ts";
import { findSecrets, hideSecrets, showSecrets } from "./secrets.ts";

const KEY = "swordfish";
const encoder = new TextEncoder();

function makeHeap(): { heap: Uint8Array; ranges: Range[] } {
  const heap = new Uint8Array(100).fill(7);
  heap.set(encoder.encode(KEY), 10);
  heap.set(encoder.encode([...KEY].join("\0") + "\0"), 40);
  return { heap, ranges: [[8, 20], [32, 60]] };
}

Deno.test("secrets are hidden in each form, and shown again", () => {
  const { heap, ranges } = makeHeap();
  const secrets = findSecrets(heap, ranges, { KEY, SHORT: "7" });
  assertEquals(secrets.map(({ form, places }) => [form, places]), [
    [0, [10]],
    [1, [40]],
  ]);
  const pages = new Uint8Array(80);
  // A copy begins or ends in the midst of a value.
  for (const [from, to] of [[8, 14], [14, 28], [32, 45], [45, 92]] as const) {
    const copy = heap.slice(from, to);
    hideSecrets(copy, from, secrets);
    pages.set(copy, from < 32 ? from - 8 : from - 12);
  }
  const wanted = pages.slice();
  assert(!new TextDecoder().decode(pages).includes("f"));
  showSecrets(pages, ranges, { secrets, variables: { KEY: "longer value" } });
  assertEquals(pages, wanted);
  showSecrets(pages, ranges, { secrets, variables: { KEY } });
  const whole = new Uint8Array([
    ...heap.subarray(8, 28),
    ...heap.subarray(32, 92),
  ]);
  assertEquals(pages, whole);
});

Deno.test("showSecrets() writes into the saved pages alone", () => {
  const { ranges } = makeHeap();
  const pages = new Uint8Array(80);
  for (const place of [0, 27, 30, 90, 1e9]) {
    const secrets = [{
      name: "KEY",
      form: 0,
      length: KEY.length,
      places: [place],
    }];
    assertThrows(
      () => showSecrets(pages, ranges, { secrets, variables: { KEY } }),
      RangeError,
    );
  }
  assertEquals(pages, new Uint8Array(80));
});
