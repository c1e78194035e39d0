import { assertEquals } from "../../deps/assert.ts";
import { filterBy, maybeRows, sortBy, toCsv } from "./rows.ts";

Deno.test("maybeRows() reads a list of objects, with cells that are missing or lists", () => {
  assertEquals(maybeRows([{ a: 1, b: [2] }, { b: "x", a: null }, { a: 3 }]), {
    ...{ columns: ["a", "b"], left: 0 },
    rows: [[1, [2]], [null, "x"], [3, null]],
  });
});

Deno.test("maybeRows() reads rows that were cut, with the count of the others", () => {
  const [one, two] = [{ a: 1, b: 1 }, { a: 2, b: 2 }];
  const rows = [[1, 1], [2, 2]];
  const columns = ["a", "b"];
  assertEquals(maybeRows([one, two, "<4,000 more rows>"]), {
    ...{ columns, rows, left: 4000 },
  });
  assertEquals(maybeRows([one, "… 998 of 1,000 items left out …", two]), {
    ...{ columns, rows, left: 998, gap: 1 },
  });
  const cut = { a: 3, "<cut>": "<1 more>" };
  assertEquals(maybeRows([one, two, cut, "<9 more>"]), {
    ...{ columns, rows, left: 10 },
  });
});

Deno.test("maybeRows() reads a frame whose columns repeat", () => {
  const frame = { columns: ["a", "a"], index: [7], data: [[1, 2]] };
  assertEquals(maybeRows(frame), {
    ...{ columns: ["index", "a", "a"], rows: [[7, 1, 2]], left: 0 },
  });
  const levels = { columns: [["c", "max"]], data: [[1]] };
  assertEquals(maybeRows(levels)?.columns, ['["c","max"]']);
});

Deno.test("maybeRows() knows rows of a table from other values", () => {
  const others = [
    ...[1, "text", null, {}, [], [1], [null], [{}], [[1]], ["<2 more>"]],
    ...[[{ a: 1 }, null], [{ a: 1 }, { b: 1 }, { c: 1 }], [{ a: 1 }, "x"]],
    ...[{ columns: [1] }, { columns: ["a"], data: [1] }],
    // A row of a million cells would have a page draw each.
    { columns: ["a"], data: [[1, 2]] },
    { columns: ["a"], data: [[1]], index: [0], other: 1 },
  ];
  assertEquals(others.map(maybeRows), others.map(() => undefined));
});

Deno.test("sortBy() orders numbers, texts and cells without a value", () => {
  const rows = [[10], [9], [null], ["a"], ["9007199254740993"]];
  assertEquals(sortBy({ rows }, 0, false), [1, 0, 4, 3, 2]);
  assertEquals(sortBy({ rows }, 0, true), [3, 4, 0, 1, 2]);
});

Deno.test("toCsv() quotes what RFC 4180 has quoted", () => {
  const rows = [["plain", 'say "x", y'], [null, [1, 2]], ["two\nlines", 1.5]];
  assertEquals(
    toCsv({ columns: ["a", "b,c"], rows }),
    'a,"b,c"\r\nplain,"say ""x"", y"\r\n,"[1,2]"\r\n"two\nlines",1.5\r\n',
  );
});

Deno.test("filterBy() finds rows by all words, in any cell and any case", () => {
  const rows = [["Ann Lee", 30], ["Bob", 41], ["ann", 41]];
  assertEquals(filterBy({ rows }, " ANN  41 "), [2]);
  assertEquals(filterBy({ rows }, "ann"), [0, 2]);
  assertEquals(filterBy({ rows }, ""), [0, 1, 2]);
});
