import { loadPyodide } from "pyodide";
import { assert, assertEquals } from "../../../../deps/assert.ts";
import { LONGEST_SUMMARY } from "../../../protocol/bounds.ts";
import { RUNNER } from "./modules.ts";

const SETUP = String.raw`
import collections, dataclasses, sys
sys.path.append("/lib")
from runner.summaries import summary_text
from runner.values import to_json_text

def summed(value):
    return summary_text(value, to_json_text(value))

@dataclasses.dataclass
class Shop:
    name: str
    rows: list

Point = collections.namedtuple("Point", "x y")

def fake(package, name, **attributes):
    return type(name, (), {"__module__": package, **attributes})

class Hostile(list):
    """Whatever asks an instance fails."""
    def fail(self, *_): raise ValueError("no")
    __iter__ = __len__ = __getitem__ = __repr__ = __bool__ = fail
    dtype = shape = property(fail)

class Nameless(type):
    __module__ = __name__ = property(lambda self: 1 / 0)
class WithMeta(metaclass=Nameless):
    def __repr__(self): return "r" * 9000

class Endless(list):
    def __iter__(self):
        while True: yield self

def fail(self): raise RuntimeError("no")
Broken = fake("pandas.core", "DataFrame", iloc=property(fail), shape=property(fail), dtype=property(fail))
Lying = fake("polars", "Series", shape=["x" * 10**6], dtype="y" * 10**6, to_list=lambda self: [1] * 9000,
  __len__=lambda self: 9000, head=lambda self, n: [1] * 10**6, tail=lambda self, n: "z" * 10**6)

cyclic = {"rows": list(range(5000))}
cyclic["self"] = cyclic
deep = []
for _ in range(3000): deep = [deep, "some words"]
`;

const python = await loadPyodide();
python.FS.mkdir("/lib/runner");
const MODULES = ["values.py", "tables.py", "integers.py", "summaries.py"];
for (const name of MODULES) {
  python.FS.writeFile(`/lib/runner/${name}`, RUNNER[name] ?? "");
}
python.runPython(SETUP);

const LONG = {
  head: [0, 1, 2, 3, 4],
  tail: [9995, 9996, 9997, 9998, 9999],
};
const LIST = { type: "list", length: 10_000, ...LONG };

/** Expressions, and what they are summed up to. */
const CASES: Record<string, unknown> = {
  "list(range(10_000))": LIST,
  "tuple(range(10_000))": { ...LIST, type: "tuple" },
  "set(range(10_000))": { type: "set", length: 10_000, head: LONG.head },
  "collections.deque(range(10_000))": null,
  "[float('nan')] * 5000": {
    ...{ type: "list", length: 5000 },
    ...{ head: Array(5).fill("NaN"), tail: Array(5).fill("NaN") },
  },
  "{n: str(n) for n in range(10_000)}": {
    ...{ type: "dict", length: 10_000 },
    head: { 0: "0", 1: "1", 2: "2", 3: "3", 4: "4" },
    tail: {
      9995: "9995",
      9996: "9996",
      9997: "9997",
      9998: "9998",
      9999: "9999",
    },
  },
  // Small members stay, large members are summed up.
  "dict(zip('abcdefghij', range(10)), large=list(range(10_000)))": {
    ...{ a: 0, b: 1, c: 2, d: 3, e: 4, f: 5, g: 6, h: 7, i: 8, j: 9 },
    large: LIST,
  },
  "(1, [[list(range(10_000))]], Point(1, list(range(10_000))))": [
    ...[1, [[LIST]], { x: 1, y: LIST }],
  ],
  "Shop('corner', list(range(10_000)))": { name: "corner", rows: LIST },
  // A key of a summary is one as any other.
  "dict(type='list', head=[1], tail=[2], length=list(range(10_000)))": {
    ...{ type: "list", head: [1], tail: [2], length: LIST },
  },
  // Items of a head are cut.
  "[list(range(1000))] * 21": {
    ...{ type: "list", length: 21 },
    head: Array(2).fill([...Array(103).keys(), "<897 more>"]),
    tail: Array(2).fill([...Array(103).keys(), "<897 more>"]),
  },
};

for (const [expression, expected] of Object.entries(CASES)) {
  Deno.test(`summary_text() sums up ${expression}`, () => {
    const text = python.runPython(`summed(${expression})`);
    assertEquals(JSON.parse(text ?? "null"), expected);
  });
}

Deno.test("summary_text() has no summary of what is short, of a text, and of a number", () => {
  const values = ["None", "1", "[1] * 900", "'x' * 9000", "10**9000"];
  for (const value of [...values, "WithMeta()", "b'x' * 9000"]) {
    assertEquals(python.runPython(`summed(${value})`), undefined, value);
  }
});

Deno.test("summary_text() is short JSON of any value, and runs into no trap", () => {
  const values = [
    ...["cyclic", "deep", "[cyclic] * 100", "Hostile([1] * 9000)"],
    ...[
      "[Hostile([1] * 9000)] * 500",
      "[WithMeta()] * 9",
      "bytes([255]) * 9000",
    ],
    ...["Endless([1] * 9000)", "[Broken()] * 900", "Broken()", "Lying()"],
    ...["[Lying()] * 300", "{'x' * 10**5: 1, 'y': 2}", "['x' * 10**6] * 30"],
    ...["['\\ud800' * 9000] * 2", "{'\\ud800' * n: n for n in range(90)}"],
    ...["dict.fromkeys(range(10**6))", "[[[[0] * 100] * 100] * 100] * 20"],
    ...["[{str(n): 'x' * 200 for n in range(15)} for m in range(15)]"],
  ];
  for (const value of values) {
    const text = python.runPython(`summed(${value})`) ?? "null";
    JSON.parse(text);
    assert(text.isWellFormed(), value);
    // The host cuts what escapes have made long.
    assert(text.length <= LONGEST_SUMMARY, `${value}: ${text.length}`);
  }
});
