import { assert, assertEquals, assertThrows } from "../../../../deps/assert.ts";
import {
  type Arbitrary,
  array,
  assertProperty,
  constantFrom,
  integer,
  jsonValue,
  letrec,
  nat,
  oneof,
  option,
  property,
  string,
  tuple,
} from "../../../../deps/fast_check.ts";
import { Ajv } from "../../../../deps/json_schema.ts";
import type { Json } from "../../../protocol/run_result.ts";
import {
  checkMontyObject,
  MONTY_OBJECT,
  toMontyObject,
  toMontySchema,
} from "./monty_object.ts";
import { VARIANTS } from "./monty_variants.ts";

const CLOCK = { hour: 23, minute: 59, second: 0, microsecond: 999_999 };
const DAY = { year: 2024, month: 2, day: 29 };

/** Values of each variant that a call can send. */
const SENT: Record<string, Json[]> = {
  Bool: [true],
  Int: [7, -7, 0, 2 ** 53 - 1, "9223372036854775808", "-1"],
  BigInt: ["123456789012345678901234567890", "-0", "9".repeat(100_000)],
  Float: [1.5, 1, 1e300, "NaN", "Infinity", "-Infinity"],
  Complex: [{ real: 1, imag: "NaN" }],
  Decimal: ["1.50", "-1E+5", "Infinity", "-sNaN12", ".5", "5."],
  String: ["", "None", "🙂\0"],
  Bytes: [[], [0, 255]],
  Path: ["/a"],
  List: [[], ["None", { Int: 1 }, 1, "a", { List: [] }, { a: 1 }]],
  Tuple: [[{ Tuple: [[1]] }]],
  Set: [[1, { Tuple: [1, { FrozenSet: [2] }] }]],
  FrozenSet: [["a"]],
  Dict: [[], [["a", [1]], [{ Tuple: [1, 2] }, { Dict: [] }], ["None", {}]]],
  NamedTuple: [{ type_name: "P", field_names: ["x"], values: [[1]] }],
  Date: [DAY, { year: 1, month: 12, day: 31 }, {
    ...{ year: 2000, month: 2, day: 29 },
  }],
  DateTime: [{ ...DAY, ...CLOCK }, {
    ...{ ...DAY, ...CLOCK, offset_seconds: null, timezone_name: null },
  }, { ...DAY, ...CLOCK, offset_seconds: -86_399, timezone_name: "X" }],
  Time: [CLOCK, { ...CLOCK, fold: 1, offset_seconds: 3600 }],
  TimeDelta: [{ days: -999_999_999, seconds: 86_399, microseconds: 0 }],
  TimeZone: [{ offset_seconds: 3600, name: "CET" }, { offset_seconds: 0 }],
  Dataclass: [{
    ...{ name: "P", field_names: ["x"], attrs: [["x", [1]]], frozen: true },
    type_id: 7,
  }],
  Exception: [{ exc_type: "ValueError", arg: "no" }, { exc_type: "KeyError" }],
  Type: ["int"],
  BuiltinFunction: ["len"],
  Function: [{ name: "f" }, { name: "f", docstring: null }],
};

/** Values of each variant that a result alone has. */
const GIVEN: Record<string, Json[]> = {
  Instance: [{ name: "P", attrs: [[{ String: "x" }, { Int: 1 }]] }],
  Class: ["P"],
  Module: ["math"],
  FileHandle: [{ path: "/a", mode: { Read: false }, position: 0 }],
  Repr: ["<x>"],
  Cycle: [[0, "[...]"]],
};

const validator = new Ajv({ strict: false });
const [isSent, isGiven] = [false, true].map((isOutput) => {
  const $defs = { MontyObject: toMontySchema({ isOutput }) };
  return validator.compile({ ...MONTY_OBJECT, $defs });
});

Deno.test("checkMontyObject() takes each variant, as its schema does", () => {
  assertEquals(
    Object.keys({ ...SENT, ...GIVEN }).sort(),
    Object.keys(VARIANTS).sort(),
  );
  for (const [tag, contents] of Object.entries(SENT)) {
    for (const content of contents) {
      checkMontyObject({ [tag]: content }, "x");
      checkMontyObject({ a: [{ [tag]: content }] }, "x");
      const value = toMontyObject({ [tag]: content });
      assert(isGiven?.(value), tag);
      // Its schema does not tell of the plain JSON in it.
      assert(isSent?.(value) || JSON.stringify(value).includes("Repr"), tag);
    }
  }
});

Deno.test("checkMontyObject() takes plain JSON, with objects that have tags among other keys", () => {
  for (
    const plain of [
      ...[null, true, -1.5, 1e-300, 2 ** 53 - 1, "None", "Ellipsis", "x"],
      ...[[], {}, [[1, { a: null }]], { Int: 1, b: 2 }, { list: [1] }],
      ...[{ Other: 1 }, { "": 1 }, JSON.parse('{"__proto__": {"a": 1}}')],
    ]
  ) checkMontyObject(plain, "x");
});

const half = "\ud800";
const REFUSED: [value: unknown, message: string][] = [
  [
    { Frozenset: [1] },
    'inputs.x has the unknown tag "Frozenset": send {"FrozenSet": …}, or a dict with that key as {"Dict": [["Frozenset", …]]}',
  ],
  [
    { Bool: 1 },
    "inputs.x.Bool is 1, and must be true or false",
  ],
  [
    { Int: 1.5 },
    'inputs.x.Int is 1.5, and must be a whole number: send {"Float": 1.5}',
  ],
  [
    { Int: 2 ** 53 },
    'inputs.x.Int is 9007199254740992, which is beyond 2**53, where numbers of JSON are rounded: send its digits as a string, {"Int": "…"}',
  ],
  [
    { Int: "0x10" },
    'inputs.x.Int is "0x10", and must be a whole number as its decimal digits, such as "-12"',
  ],
  [
    { Int: null },
    "inputs.x.Int is null, and must be a whole number, or its decimal digits as a string",
  ],
  [
    { BigInt: 12 },
    'inputs.x.BigInt is 12, and must be its digits as a string, "12"',
  ],
  [
    { BigInt: "1_000" },
    'inputs.x.BigInt is "1_000", and must be a whole number as its decimal digits, such as "-12"',
  ],
  [
    { BigInt: `-${"9".repeat(100_001)}` },
    "inputs.x.BigInt has 100,001 digits, and may have 100,000: send it in hexadecimal, as a String for int(…, 16)",
  ],
  [
    { Float: "nan" },
    'inputs.x.Float is "nan", and must be a number, or "NaN", "Infinity" or "-Infinity" as a string',
  ],
  [
    { Float: 1e999 },
    'inputs.x.Float is Infinity, and must be a number, or "NaN", "Infinity" or "-Infinity" as a string',
  ],
  [
    { Float: NaN },
    'inputs.x.Float is NaN, and must be a number, or "NaN", "Infinity" or "-Infinity" as a string',
  ],
  [
    { Complex: { real: 1 } },
    'inputs.x.Complex.imag is missing, and must be a number, or "NaN", "Infinity" or "-Infinity" as a string',
  ],
  [
    { Decimal: "1,5" },
    'inputs.x.Decimal is "1,5", and must be a decimal number as a string, such as "1.50"',
  ],
  [{ String: 1 }, "inputs.x.String is 1, and must be a string"],
  [
    { String: half },
    "inputs.x.String has half of a surrogate pair, which is not a character: send text that is UTF-8",
  ],
  [
    { Bytes: [0, 256] },
    "inputs.x.Bytes[1] is 256, and must be a whole number from 0 to 255",
  ],
  [
    { Bytes: [-1] },
    "inputs.x.Bytes[0] is -1, and must be a whole number from 0 to 255",
  ],
  [
    { Bytes: [1.5] },
    "inputs.x.Bytes[0] is 1.5, and must be a whole number from 0 to 255",
  ],
  [{ Bytes: "AA==" }, 'inputs.x.Bytes is "AA==", and must be an array'],
  [{ List: { a: 1 } }, "inputs.x.List is an object, and must be an array"],
  [
    { Dict: [["a"]] },
    "inputs.x.Dict[0] is an array, and must be a pair, [key, value]",
  ],
  [{ Dict: { a: 1 } }, "inputs.x.Dict is an object, and must be an array"],
  [
    { Dict: [[{ List: [] }, 1]] },
    "inputs.x.Dict[0][0] is a List, which cannot be a key of a Dict, as Python cannot hash it: send a Tuple",
  ],
  [
    { Dict: [["a", 1], [{ Tuple: [1, { Dict: [] }] }, 1]] },
    "inputs.x.Dict[1][0].Tuple[1] is a Dict, which cannot be a key of a Dict, as Python cannot hash it: send a Tuple of pairs",
  ],
  [
    { Dict: [[{ Set: [] }, 1]] },
    "inputs.x.Dict[0][0] is a Set, which cannot be a key of a Dict, as Python cannot hash it: send a FrozenSet",
  ],
  [
    {
      Dict: [[{
        NamedTuple: { type_name: "P", field_names: ["a"], values: [[]] },
      }, 1]],
    },
    "inputs.x.Dict[0][0].NamedTuple.values[0] is a List, which cannot be a key of a Dict, as Python cannot hash it: send a Tuple",
  ],
  [
    { Set: [1, [2]] },
    "inputs.x.Set[1] is a List, which cannot be an element of a set, as Python cannot hash it: send a Tuple",
  ],
  [
    { FrozenSet: [{ a: 1 }] },
    "inputs.x.FrozenSet[0] is a Dict, which cannot be an element of a set, as Python cannot hash it: send a Tuple of pairs",
  ],
  [
    { NamedTuple: { type_name: "P", field_names: ["x", "y"], values: [1] } },
    "inputs.x.NamedTuple has 2 field_names and 1 values: send a value for each name",
  ],
  [
    { NamedTuple: [1] },
    "inputs.x.NamedTuple is an array, and must be an object with type_name, field_names, values",
  ],
  [
    { Date: { year: 2024, month: 13, day: 1 } },
    "inputs.x.Date.month is 13, and must be a whole number from 1 to 12",
  ],
  [
    { Date: { year: 2023, month: 2, day: 29 } },
    "inputs.x.Date.day is 29, and must be a whole number from 1 to 28",
  ],
  [
    { Date: { year: 1900, month: 2, day: 29 } },
    "inputs.x.Date.day is 29, and must be a whole number from 1 to 28",
  ],
  [
    { Date: { year: 0, month: 1, day: 1 } },
    "inputs.x.Date.year is 0, and must be a whole number from 1 to 9999",
  ],
  [
    { Date: { ...DAY, weekday: 1 } },
    'inputs.x.Date has an unknown key "weekday": the keys are year, month, day',
  ],
  [
    { DateTime: { ...DAY, ...CLOCK, day: 30 } },
    "inputs.x.DateTime.day is 30, and must be a whole number from 1 to 29",
  ],
  [
    { DateTime: { ...DAY, ...CLOCK, hour: 24 } },
    "inputs.x.DateTime.hour is 24, and must be a whole number from 0 to 23",
  ],
  [
    { DateTime: { ...DAY, ...CLOCK, timezone_name: "CET" } },
    "inputs.x.DateTime has a timezone_name without offset_seconds: send both, or none",
  ],
  [
    { Time: { ...CLOCK, fold: 2 } },
    "inputs.x.Time.fold is 2, and must be a whole number from 0 to 1",
  ],
  [
    { TimeDelta: { days: 1e9, seconds: 0, microseconds: 0 } },
    "inputs.x.TimeDelta.days is 1000000000, and must be a whole number from -999999999 to 999999999",
  ],
  [
    { TimeDelta: { days: 0, seconds: 86_400, microseconds: 0 } },
    "inputs.x.TimeDelta.seconds is 86400, and must be a whole number from 0 to 86399",
  ],
  [
    { TimeZone: { offset_seconds: 86_400 } },
    "inputs.x.TimeZone.offset_seconds is 86400, and must be a whole number from -86399 to 86399",
  ],
  [
    {
      Dataclass: { name: "P", field_names: [], attrs: [[1, 2]], frozen: "no" },
    },
    'inputs.x.Dataclass.frozen is "no", and must be true or false',
  ],
  [
    { Dataclass: { name: "P", field_names: [], attrs: [[1, 2]] } },
    "inputs.x.Dataclass.attrs[0][0] is 1, and must be a name as a string",
  ],
  [
    { List: [{ Repr: "<object>" }] },
    "inputs.x.List[0] is a Repr, which only results have: send the value that it shows, or its text as a String",
  ],
  [
    { Cycle: [0, "[...]"] },
    "inputs.x is a Cycle, which only results have: send the value that it shows, or its text as a String",
  ],
  [
    2 ** 53,
    'inputs.x is 9007199254740992, which is beyond 2**53, where numbers of JSON are rounded: send {"Int": "…"} with its digits, or {"Float": …}',
  ],
  [
    [1e999],
    'inputs.x[0] is a number that is too large: send {"Float": "Infinity"}',
  ],
  [
    { a: { [half]: 1 } },
    "inputs.x.a has half of a surrogate pair, which is not a character: send text that is UTF-8",
  ],
];

for (const [value, message] of REFUSED) {
  const [, text = ""] = /^inputs.x(.{0,60})/.exec(message) ?? [];
  Deno.test(`checkMontyObject() says: ${text.toWellFormed()}`, () => {
    assertThrows(() => checkMontyObject(value, "inputs.x"), (error: Error) => {
      const isTheirs = error instanceof TypeError ||
        error instanceof RangeError;
      return isTheirs && error.message === message;
    });
  });
}

/** A value in others of its kind. */
function nest(depth: number, wrap: (value: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let at = 0; at < depth; at++) value = wrap(value);
  return value;
}

const WRAPS: ((value: unknown) => unknown)[] = [
  (it) => [it],
  (it) => ({ a: it }),
  (it) => ({ List: [it] }),
  (it) => ({ Tuple: [it] }),
  (it) => ({ FrozenSet: [it] }),
  (it) => ({ Dict: [["a", it]] }),
  (it) => ({
    NamedTuple: { type_name: "", field_names: [""], values: [it] },
  }),
  (it) => ({ Dataclass: { name: "", field_names: [], attrs: [["a", it]] } }),
];

Deno.test("checkMontyObject() takes 100 values in each other, and refuses 10,000 without filling the stack", () => {
  for (const wrap of WRAPS) {
    checkMontyObject(nest(100, wrap), "x");
    for (const depth of [101, 10_000]) {
      assertThrows(
        () => checkMontyObject(nest(depth, wrap), "x"),
        /x.* is nested too deep, in 100 other values: send less/,
      );
    }
  }
});

Deno.test("checkMontyObject() finds a wrong value among a million, and names its place shortly", () => {
  const many = new Array(1_000_000).fill({ Int: 1 });
  checkMontyObject({ List: many }, "x");
  assertThrows(
    () => checkMontyObject({ List: [...many, { Int: 0.5 }] }, "x"),
    /x\.List\[1000000\]\.Int is 0\.5/,
  );
  assertThrows(
    () => checkMontyObject({ Int: "x".repeat(1000) }, "x".repeat(1000)),
    /x{100}… is "x{100}…", and must be/,
  );
});

/** MontyObjects; those that Python can hash have no lists in them. */
const { value: valueOf } = letrec<{ value: unknown; key: unknown }>((tie) => {
  const tagged = (tag: string, content: Arbitrary<unknown>) =>
    content.map((it) => ({ [tag]: it }));
  const words = string({ unit: "grapheme" });
  const leaf = oneof(
    constantFrom("None", "Ellipsis"),
    tagged("Int", oneof(integer(), integer().map(String))),
    tagged("Float", constantFrom<unknown>(-1.5, "NaN", "-Infinity")),
    ...["String", "Path", "Type"].map((tag) => tagged(tag, words)),
    tagged("Bytes", array(nat(255))),
    tagged("Exception", words.map((arg) => ({ exc_type: "KeyError", arg }))),
  );
  const [keys, values] = [array(tie("key")), array(tie("value"))];
  const named = (values: Arbitrary<unknown[]>) =>
    values.map((values) => ({
      NamedTuple: {
        ...{ type_name: "T", field_names: values.map((_, at) => `f${at}`) },
        values,
      },
    }));
  const sets = tagged("FrozenSet", keys);
  return {
    key: oneof({ depthSize: "small" }, leaf, tagged("Tuple", keys), sets),
    value: oneof(
      { depthSize: "small" },
      leaf,
      ...["List", "Tuple"].map((tag) => tagged(tag, values)),
      tagged("Set", keys),
      sets,
      named(values),
      tagged("Dict", array(tuple(tie("key"), tie("value")))),
      option(tie("value")).map((it) => ({ Tuple: it === null ? [] : [it] })),
    ),
  };
});

Deno.test("checkMontyObject() takes any MontyObject, which is one by its schema, and stays the same as a result", () => {
  assertProperty(property(valueOf, (value) => {
    checkMontyObject(value, "x");
    assert(isSent?.(value), JSON.stringify(value));
    assertEquals(toMontyObject(value as Json), value as Json);
  }));
});

Deno.test("docs/monty.md has an example of each variant", async () => {
  const page = await Deno.readTextFile(
    new URL("../../../../docs/monty.md", import.meta.url),
  );
  const table = page.slice(page.indexOf("| Python "), page.indexOf("¹ In"));
  const examples = table.split("\n").map((row) => ({
    isOutput: row.includes("¹"),
    values: [...row.matchAll(/`(\{"[A-Z].*?\})`/g)]
      .map(([, text = ""]) => JSON.parse(text)),
  }));
  const tags = examples.flatMap(({ values }) => values.flatMap(Object.keys));
  assertEquals([...new Set(tags)].sort(), Object.keys(VARIANTS).sort());
  for (const { isOutput, values } of examples) {
    for (const value of values) {
      assertEquals(toMontyObject(value), value);
      assertEquals(isSent?.(value), !isOutput, JSON.stringify(value));
    }
  }
});

Deno.test("toMontyObject() keeps what only results have", () => {
  for (const [tag, contents] of Object.entries(GIVEN)) {
    for (const content of contents) {
      const value = { List: [{ [tag]: content }] };
      assertEquals(toMontyObject(value), value);
      assert(isGiven?.(value), tag);
      assert(!isSent?.(value), tag);
    }
  }
});

Deno.test("toMontyObject() makes a Repr of what was cut, and of all that has another form", () => {
  const cases: [Json, Json][] = [
    [null, { Repr: "null" }],
    ["cut", { Repr: "cut" }],
    [{ a: 1 }, { Repr: '{"a":1}' }],
    [{ BigInt: "<an integer of 1,000,000 bits>" }, {
      Repr: "<an integer of 1,000,000 bits>",
    }],
    [{ List: [{ Int: 1 }, "… 2 of 3 items left out …"] }, {
      List: [{ Int: 1 }, { Repr: "… 2 of 3 items left out …" }],
    }],
    [{ Dict: [["None", { Int: 1 }], "… 2 of 3 items left out …"] }, {
      Dict: [["None", { Int: 1 }], [{ Repr: "<cut>" }, {
        Repr: "… 2 of 3 items left out …",
      }]],
    }],
    [{ Bytes: [1, "… left out …"] }, { Repr: '{"Bytes":[1,"… left out …"]}' }],
    [{ Repr: half }, { Repr: "\ufffd" }],
    [{ Int: 1, Float: 1 }, { Repr: '{"Int":1,"Float":1}' }],
  ];
  for (const [given, made] of cases) assertEquals(toMontyObject(given), made);
});

Deno.test("toMontyObject() makes a MontyObject by the schema of any JSON, and not a deep one", () => {
  const tags = constantFrom(...Object.keys(VARIANTS));
  const hostile = oneof(
    jsonValue(),
    tuple(tags, jsonValue()).map(([tag, it]) => ({ [tag]: it })),
    tuple(tags, array(jsonValue())).map(([tag, it]) => ({ [tag]: it })),
  );
  assertProperty(property(hostile, (value) => {
    const made = toMontyObject(value as Json);
    assert(isGiven?.(made), JSON.stringify([value, made]));
  }));
  const levels = (value: unknown): number =>
    typeof value === "object" && value !== null
      ? 1 + Math.max(0, ...Object.values(value).map(levels))
      : 0;
  for (const wrap of WRAPS) {
    const made = toMontyObject(nest(300, wrap) as Json);
    assert(levels(made) <= 182, `${levels(made)}`);
    assert(isGiven?.(made));
  }
});
