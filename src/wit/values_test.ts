import { assert, assertEquals, assertThrows } from "../../deps/assert.ts";
import {
  type Arbitrary,
  array,
  assertProperty,
  constantFrom,
  letrec,
  nat,
  oneof,
  option,
  property,
  tuple,
} from "../../deps/fast_check.ts";
import { Ajv } from "../../deps/json_schema.ts";
import { toJsonText } from "./json_text.ts";
import { toTools } from "./schema.ts";
import { rangeOf, type WitFunction, type WitType } from "./types.ts";
import { maybeResultTypes, toGuestArguments } from "./values.ts";

const NAMES = ["a", "the-name", "to-string", "constructor", "HTTP-port", "x1"];

const TYPE: Arbitrary<WitType> = letrec<{ type: WitType }>((tie) => {
  const some = array(tie("type"), { minLength: 1, maxLength: NAMES.length });
  const maybe = option(tie("type"), { nil: undefined });
  const labels = nat(NAMES.length - 1).map((most) => NAMES.slice(0, most + 1));
  return {
    type: oneof(
      { maxDepth: 4, depthSize: "small" },
      constantFrom<WitType>(
        ...[{ kind: "bool" }, { kind: "char" }, { kind: "string" }] as const,
        ...([8, 16, 32, 64] as const).flatMap((bits) =>
          [true, false].map((signed) => ({
            kind: "integer" as const,
            ...{ bits, signed },
          }))
        ),
        ...[{ kind: "float", bits: 32 }, { kind: "float", bits: 64 }] as const,
      ),
      labels.map((names): WitType => ({ kind: "enum", names })),
      labels.map((names): WitType => ({ kind: "flags", names })),
      tie("type").map((item): WitType => ({ kind: "list", item })),
      tie("type").map((item): WitType => ({ kind: "option", item })),
      some.map((items): WitType => ({ kind: "tuple", items })),
      some.map((types): WitType => ({
        kind: "record",
        fields: types.map((type, at) => ({ name: NAMES[at]!, type })),
      })),
      array(maybe, { minLength: 1, maxLength: NAMES.length }).map((
        types,
      ): WitType => ({
        kind: "variant",
        cases: types.map((type, at) => ({
          name: NAMES[at]!,
          ...(type ? { type } : {}),
        })),
      })),
      tuple(maybe, maybe).map(([ok, error]): WitType => ({
        kind: "result",
        ...(ok ? { ok } : {}),
        ...(error ? { error } : {}),
      })),
    ),
  };
}).type;

const snake = (name: string) => name.toLowerCase().replaceAll("-", "_");

/** A value in JSON, by numbers that decide; undefined for an option that is not there. */
function make(type: WitType | undefined, next: () => number): unknown {
  const pick = <T>(...values: T[]) => values[next() % values.length] as T;
  switch (type?.kind) {
    case undefined:
      return null;
    case "bool":
      return pick(true, false);
    case "char":
      return pick("a", "\0", "\n", "é", "🙂");
    case "string":
      return pick("", "a", '"\u2028\\', "🙂".repeat(3));
    case "integer": {
      const [least, most] = rangeOf(type);
      const integer = pick(least, most, 0n, 1n, most / 2n);
      const isSafe = Number.isSafeInteger(Number(integer));
      return isSafe ? Number(integer) : `${integer}`;
    }
    case "float":
      return pick<unknown>(
        0,
        1.5,
        2 ** 100,
        "NaN",
        "Infinity",
        "-Infinity",
      );
    case "list": {
      const count = next() % 4;
      const { item } = type;
      const isBytes = item.kind === "integer" && item.bits === 8 &&
        !item.signed;
      if (isBytes) return pick("", "AA==", "AQL/");
      return Array.from({ length: count }, () => make(item, next));
    }
    case "tuple":
      return type.items.map((item) => make(item, next));
    case "record":
      return Object.fromEntries(
        type.fields.map((
          { name, type },
        ) => [snake(name), makeField(type, next)])
          .filter(([, value]) => value !== undefined),
      );
    case "variant": {
      const { name, type: of } = pick(...type.cases);
      const value = of && makeField(of, next);
      return value === undefined ? { tag: name } : { tag: name, value };
    }
    case "enum":
      return pick(...type.names);
    case "flags":
      return type.names.filter(() => pick(true, false));
    case "option":
      return pick(true, false) ? null : makeSome(type.item, next);
    case "result":
      return pick(true, false)
        ? { ok: make(type.ok, next) }
        : { error: make(type.error, next) };
  }
}

function makeField(type: WitType, next: () => number): unknown {
  if (type.kind !== "option") return make(type, next);
  return next() % 2 === 0 ? undefined : makeSome(type.item, next);
}

function makeSome(item: WitType, next: () => number): unknown {
  const value = make(item, next);
  return item.kind === "option" ? { some: value } : value;
}

const identity = (type: WitType): WitFunction => ({
  name: "give",
  params: [{ name: "the-value", type }],
  result: type,
});

const pass = (type: WitType, json: unknown): unknown =>
  toGuestArguments(identity(type), { the_value: json })[0];

Deno.test("values of all types pass to a guest and back, and are as their schemas say", () => {
  const ajv = new Ajv({ strict: false, validateFormats: false, logger: false });
  assertProperty(
    property(TYPE, array(nat(1000), { minLength: 1 }), (type, numbers) => {
      let at = 0;
      const next = () => numbers[at++ % numbers.length]! + at;
      const json = make(type, next);
      const value = pass(type, json);
      const back = JSON.parse(toJsonText(value, type));
      assertEquals(back, json);
      // A second way: results are not unpacked, and options not left out.
      const kept: WitType = { kind: "tuple", items: [type] };
      const [tool] = toTools({
        functions: [identity(kept)],
        ...{ leftOut: [], imports: [], world: undefined },
      });
      assert(tool?.outputSchema);
      const isRight = ajv.compile(tool.inputSchema)({ the_value: [json] }) &&
        ajv.compile(tool.outputSchema)({ result: [back] });
      assertEquals(isRight, true);
    }),
    { numRuns: 300 },
  );
});

const U8: WitType = { kind: "integer", bits: 8, signed: false };
const S64: WitType = { kind: "integer", bits: 64, signed: true };
const STRING: WitType = { kind: "string" };
const MAYBE: WitType = { kind: "option", item: U8 };
const POINT: WitType = {
  kind: "record",
  fields: [{ name: "first-x", type: U8 }, { name: "note", type: MAYBE }],
};
const SHAPE: WitType = {
  kind: "variant",
  cases: [{ name: "none" }, { name: "at-point", type: POINT }],
};

Deno.test("toGuestArguments() gives values as jco's JavaScript takes them", () => {
  const maybeMaybe: WitType = { kind: "option", item: MAYBE };
  const thrice: WitType = { kind: "option", item: maybeMaybe };
  const result: WitType = { kind: "result", ok: U8 };
  const cases: [WitType, unknown, unknown][] = [
    [S64, 5, 5n],
    [S64, "-9223372036854775808", -(2n ** 63n)],
    [{ kind: "float", bits: 64 }, "NaN", NaN],
    [{ kind: "list", item: U8 }, "AQI=", new Uint8Array([1, 2])],
    [POINT, { first_x: 1 }, { firstX: 1, note: undefined }],
    [POINT, { first_x: 1, note: null }, { firstX: 1, note: undefined }],
    [SHAPE, { tag: "none" }, { tag: "none" }],
    [SHAPE, { tag: "at-point", value: { first_x: 1, note: 2 } }, {
      tag: "at-point",
      val: { firstX: 1, note: 2 },
    }],
    [{ kind: "flags", names: ["run-it", "read"] }, ["run-it"], {
      runIt: true,
      read: false,
    }],
    [maybeMaybe, null, { tag: "none" }],
    [maybeMaybe, { some: null }, { tag: "some", val: undefined }],
    [maybeMaybe, { some: 1 }, { tag: "some", val: 1 }],
    [thrice, null, undefined],
    [thrice, { some: { some: 1 } }, { tag: "some", val: 1 }],
    [result, { ok: 1 }, { tag: "ok", val: 1 }],
    [result, { error: null }, { tag: "err", val: undefined }],
  ];
  for (const [type, json, value] of cases) {
    assertEquals(pass(type, json), value);
  }
});

Deno.test("toGuestArguments() says which argument is wrong, and what is right", () => {
  const list: WitType = { kind: "list", item: POINT };
  const cases: [WitType, unknown, string][] = [
    [
      U8,
      256,
      "RangeError: the_value is 256, and must be an integer from 0 to 255",
    ],
    [
      U8,
      "1",
      'TypeError: the_value is "1", and must be an integer from 0 to 255',
    ],
    [
      S64,
      2 ** 53,
      "RangeError: the_value is 9007199254740992, and must be an integer from -9223372036854775808 to 9223372036854775807; beyond 2^53 as a text of digits",
    ],
    [
      S64,
      "9223372036854775808",
      'RangeError: the_value is "9223372036854775808", and must',
    ],
    [S64, "0x10", 'TypeError: the_value is "0x10", and must'],
    [S64, 1.5, "TypeError: the_value is 1.5, and must"],
    [
      STRING,
      "\ud800",
      'TypeError: the_value is "\\ud800", and must be a text of whole characters',
    ],
    [
      STRING,
      undefined,
      "TypeError: the_value is missing: it must be a text of whole characters",
    ],
    [
      { kind: "char" },
      "ab",
      'TypeError: the_value is "ab", and must be a text of one character',
    ],
    [
      { kind: "float", bits: 32 },
      "inf",
      'TypeError: the_value is "inf", and must be a number, or NaN or Infinity or -Infinity as a text',
    ],
    [
      { kind: "list", item: U8 },
      "A",
      'TypeError: the_value is "A", and must be bytes as base64',
    ],
    [
      { kind: "tuple", items: [U8, U8] },
      [1],
      "RangeError: the_value has 1 items, and must be a list of 2 items",
    ],
    [
      list,
      [{ first_x: 1 }, { first_x: -1 }],
      "RangeError: the_value[1].first_x is -1",
    ],
    [
      list,
      [{}],
      "TypeError: the_value[0].first_x is missing: it must be an integer from 0 to 255",
    ],
    [
      list,
      [{ first_x: 1, y: 2 }],
      "TypeError: the_value[0].y is not known; these are: first_x, note",
    ],
    [
      list,
      "x".repeat(100),
      `TypeError: the_value is "${"x".repeat(59)}…, and must be a list`,
    ],
    [
      SHAPE,
      { tag: "x" },
      'TypeError: the_value is {"tag":"x"}, and must be an object whose tag is one of none, at-point',
    ],
    [
      SHAPE,
      { tag: "none", value: 1 },
      "TypeError: the_value.value is not known; there is none",
    ],
    [
      SHAPE,
      "none",
      'TypeError: the_value is "none", and must be an object whose tag',
    ],
    [
      { kind: "enum", names: ["a-b"] },
      "aB",
      'TypeError: the_value is "aB", and must be one of a-b',
    ],
    [
      { kind: "flags", names: ["a"] },
      ["b"],
      'TypeError: the_value is ["b"], and must be a list of a',
    ],
    [
      { kind: "option", item: MAYBE },
      1,
      "TypeError: the_value is 1, and must be",
    ],
    [
      { kind: "result" },
      { ok: null, error: null },
      'TypeError: the_value is {"ok":null,"error":null}, and must be an object with either "ok" or "error"',
    ],
    [
      { kind: "result" },
      { ok: 1 },
      "TypeError: the_value.ok is 1, and must be null",
    ],
  ];
  for (const [type, json, words] of cases) {
    assertThrows(
      () => pass(type, json),
      (error: unknown) =>
        `${error}`.startsWith(words) ||
        Boolean(assertEquals(`${error}`, words)),
    );
  }
  for (const args of [null, [], "a"]) {
    assertThrows(() => toGuestArguments(identity(U8), args), {
      name: "TypeError",
      message: /^the object of arguments is .*, and must be an object$/,
    });
  }
});

Deno.test("toJsonText() believes no value", () => {
  const hostile = {
    get firstX(): number {
      throw new SyntaxError("mine");
    },
  };
  const proxy = new Proxy({}, {
    getOwnPropertyDescriptor() {
      throw new RangeError("mine");
    },
  });
  const cases: [WitType, unknown][] = [
    [U8, 256],
    [U8, 1.5],
    [U8, 5n],
    [U8, "5"],
    [S64, 5],
    [S64, 2n ** 63n],
    [STRING, new String("a")],
    [STRING, { toJSON: () => "a" }],
    [{ kind: "bool" }, 1],
    [{ kind: "char" }, "ab"],
    [{ kind: "float", bits: 64 }, "NaN"],
    [{ kind: "enum", names: ["a"] }, "b"],
    [{ kind: "list", item: U8 }, [1]],
    [{ kind: "list", item: STRING }, { length: 1, 0: "a" }],
    [{ kind: "list", item: STRING }, new Array(2 ** 32 - 1)],
    [{ kind: "list", item: STRING }, "ab"],
    [{ kind: "tuple", items: [U8] }, [1, 2]],
    [{ kind: "tuple", items: [U8] }, []],
    [POINT, hostile],
    [POINT, proxy],
    [POINT, Object.create({ firstX: 1 })],
    [POINT, null],
    [SHAPE, { tag: "toString" }],
    [SHAPE, { tag: "at-point" }],
    [{ kind: "option", item: MAYBE }, { tag: "sum", val: 1 }],
    [{ kind: "result" }, { tag: "error" }],
    [{ kind: "flags", names: ["a"] }, null],
  ];
  for (const [type, value] of cases) {
    assertThrows(() => toJsonText(value, type), { name: "TypeError" });
  }
  const maybes: WitType = { kind: "list", item: MAYBE };
  assertThrows(() => toJsonText(new Array(2 ** 32 - 1), maybes), {
    message: /more than \d+ characters/,
  });
});

Deno.test("toJsonText() gives what JSON can hold", () => {
  const cases: [WitType | undefined, unknown, string][] = [
    [undefined, undefined, "null"],
    [S64, 2n ** 53n - 1n, "9007199254740991"],
    [S64, 2n ** 53n, '"9007199254740992"'],
    [{ kind: "float", bits: 64 }, -0, "0"],
    [{ kind: "float", bits: 64 }, -Infinity, '"-Infinity"'],
    [{ kind: "list", item: S64 }, new BigInt64Array([1n]), "[1]"],
    [{ kind: "list", item: U8 }, new Uint8Array([255]), '"/w=="'],
    [STRING, "\ud800", '"\\ud800"'],
    [MAYBE, null, "null"],
    [POINT, { firstX: 1, note: undefined, more: 1 }, '{"first_x":1}'],
    [{ kind: "result", ok: U8 }, { tag: "err" }, '{"error":null}'],
  ];
  for (const [type, value, json] of cases) {
    assertEquals(toJsonText(value, type), json);
  }
});

Deno.test("maybeResultTypes() gives both sides of a function's result", () => {
  const fn = (result?: WitType): WitFunction => ({
    ...{ name: "go", params: [] },
    ...(result ? { result } : {}),
  });
  assertEquals(maybeResultTypes(fn()), undefined);
  assertEquals(maybeResultTypes(fn(U8)), undefined);
  assertEquals(maybeResultTypes(fn({ kind: "result", error: U8 })), {
    error: U8,
  });
  assertEquals(maybeResultTypes(fn({ kind: "result" })), {});
});
