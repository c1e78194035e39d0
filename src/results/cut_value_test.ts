import { assert, assertEquals } from "../../deps/assert.ts";
import {
  array,
  assertProperty,
  constantFrom,
  dictionary,
  integer,
  letrec,
  oneof,
  property,
  string,
} from "../../deps/fast_check.ts";
import type { Json } from "../protocol/run_result.ts";
import { cutValue } from "./cut_value.ts";
import { toReadable } from "./fields.ts";

const rows = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, name: `row ${id}` }));
const BIG = rows(10_000);

Deno.test("cutValue() keeps whole items of a list's head and tail", () => {
  const kept = cutValue(BIG, 1000);
  assert(Array.isArray(kept));
  assertEquals(kept.slice(0, 2), BIG.slice(0, 2));
  assertEquals(kept.slice(-2), BIG.slice(-2));
  const [note, ...more] = kept.filter((item) => typeof item === "string");
  const missing = 10_000 - (kept.length - 1);
  const of = missing.toLocaleString("en-US");
  assertEquals([note, more], [`… ${of} of 10,000 items left out …`, []]);
  assert(kept.length > 20, `${kept.length}`);
});

Deno.test("cutValue() keeps whole members of an object", () => {
  const whole = Object.fromEntries(BIG.map((row) => [row.name, row]));
  const kept = cutValue({ ...whole, "…": 1 }, 1000);
  const keys = Object.keys(Object(kept));
  assertEquals([keys[0], keys.at(-1)], ["row 0", "…"]);
  const { "……": note } = Object(kept);
  assertEquals(
    note,
    `${
      (10_002 - keys.length).toLocaleString("en-US")
    } of 10,001 members left out`,
  );
});

Deno.test("cutValue() keeps the head of a value whose tail was not sent, and counts all that is missing", () => {
  const list = Object(cutValue([...BIG, "<31,481 more>"], 1000));
  const rest = (10_000 + 31_481 - (list.length - 1)).toLocaleString("en-US");
  assertEquals(list.slice(0, -1), BIG.slice(0, list.length - 1));
  assertEquals(list.at(-1), `<${rest} more>`);
  assert(list.length > 20, `${list.length}`);
  const members = Object.fromEntries(BIG.map((row) => [row.name, row]));
  const kept = Object(cutValue({ ...members, "<cut>": "<2 more>" }, 1000));
  const shown = Object.keys(kept).length - 1;
  assertEquals(
    kept["<cut>"],
    `<${(10_002 - shown).toLocaleString("en-US")} more>`,
  );
  assertEquals(Object.keys(kept).slice(-2), [`row ${shown - 1}`, "<cut>"]);
});

Deno.test("cutValue() cuts within an item that takes most of the room", () => {
  const kept = Object(cutValue({ title: "t", data: BIG, count: 10_000 }, 1000));
  assertEquals([kept.title, kept.count], ["t", 10_000]);
  assertEquals(kept.data.slice(0, 5), BIG.slice(0, 5));
  assertEquals(kept.data.slice(-5), BIG.slice(-5));
  const halves = Object(cutValue({ train: BIG, test: BIG }, 2000));
  for (const half of [halves.train, halves.test]) {
    assertEquals([half[0], half.at(-1)], [BIG[0], BIG.at(-1)]);
  }
  const [first, note, last] = Object(
    cutValue(["a".repeat(5000), "b".repeat(5000), "c".repeat(5000)], 1000),
  );
  assert(/^a+\n… [\d,]+ characters left out …\na+$/.test(first), first);
  assertEquals(note, "… 1 of 3 items left out …");
  assert(/^c+\n.*\nc+$/.test(last), last);
});

Deno.test("cutValue() keeps to its room, whatever the value", () => {
  const size = "max" as const;
  const { value } = letrec<{ value: Json }>((tie) => ({
    value: oneof(
      { maxDepth: 5 },
      string({ maxLength: 2000, unit: "binary", size }),
      constantFrom(null, true, -1.2345678901234567e-300),
      array(tie("value"), { maxLength: 6, size }),
      dictionary(string({ maxLength: 300, size }), tie("value"), {
        maxKeys: 5,
        size,
      }),
    ),
  }));
  const room = integer({ min: 100, max: 5000 });
  assertProperty(
    property(value, room, (value, room) => {
      const most = typeof value === "string" ? room + 60 : room;
      if (toReadable(value).length <= room) return;
      const cut = toReadable(cutValue(value, room));
      assert(cut.length <= most, `${cut.length} characters for ${room}`);
    }),
    { numRuns: 200 },
  );
});

Deno.test("cutValue() reads a deep value a few times, and not at each level", () => {
  let reads = 0;
  const leaf = {
    get rows() {
      reads++;
      return BIG;
    },
  };
  let deep: Json = leaf;
  for (let depth = 0; depth < 250; depth++) deep = [deep, depth];
  const text = JSON.stringify(cutValue(deep, 30_000));
  assert(text.length <= 30_000 && text.includes("row 9999"), text);
  assert(reads < 10, `${reads} times`);
});
