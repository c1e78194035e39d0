/**
 * Each type of WIT both ways, by values made of a real component's types: from JSON
 * through its process, and from Python through a server.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import {
  type Arbitrary,
  array,
  assertProperty,
  asyncProperty,
  bigInt,
  boolean,
  constant,
  constantFrom,
  double,
  oneof,
  string,
  subarray,
  tuple,
} from "../deps/fast_check.ts";
import { addFormats, Ajv } from "../deps/json_schema.ts";
import type { DownstreamTool } from "../src/protocol/downstream.ts";
import { decodeWit } from "../src/wit/decode.ts";
import { toSnakeCase } from "../src/wit/names.ts";
import { toolNameOf } from "../src/wit/names.ts";
import {
  isBytes,
  ODD_NUMBERS,
  rangeOf,
  type WitField,
  type WitType,
} from "../src/wit/types.ts";
import {
  type ComponentProcess,
  startComponentProcess,
} from "./support/component_process.ts";
import { tempFolder } from "./support/folder.ts";
import { readGuest, writeGuest } from "./support/guests.ts";
import { startServer } from "./support/server.ts";

/** Values of each function, at random, beside those at the edges of its types. */
const RUNS = 12;
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** JSON that a component may be given, and the JSON that it gives back for it. */
interface Pair {
  given: unknown;
  /** Absent of an option that is left out. */
  back: unknown;
}

type Pairs = Arbitrary<Pair>;

const same = (value: unknown): Pair => ({ given: value, back: value });
const pairs = (values: Arbitrary<unknown>): Pairs => values.map(same);
const list = (of: Pairs, terms = {}): Arbitrary<Pair> =>
  array(of, { maxLength: 8, ...terms }).map((all) => ({
    given: all.map(({ given }) => given),
    back: all.map(({ back }) => back),
  }));
const objectOf = (key: string, of: Pairs): Pairs =>
  of.map(({ given, back }) => ({
    given: { [key]: given },
    back: { [key]: back },
  }));

/** What a text of the digits of an integer, or its number, becomes. */
function toInteger(value: bigint): unknown {
  return value > SAFE || value < -SAFE ? `${value}` : Number(value);
}

/** Values of a type; those at its edges come often. */
function valuesOf(type: WitType | undefined): Pairs {
  switch (type?.kind) {
    case undefined:
      return pairs(constant(null));
    case "bool":
      return pairs(boolean());
    case "char":
      return pairs(oneof(
        constantFrom("\0", "\ud7ff", "\ue000", "\uffff", "🦕", "\u{10ffff}"),
        string({ unit: "binary", minLength: 1, maxLength: 1 }),
      ));
    case "string":
      return pairs(oneof(
        constantFrom("", "\0", "🦕", "e\u0301", "__proto__", '"\\\n'),
        constant("long ".repeat(2000)),
        string({ unit: "binary" }),
      ));
    case "integer": {
      const [least, most] = rangeOf(type);
      const edges = [0n, 1n, -1n, least, most, least + 1n, most - 1n]
        .concat([SAFE, SAFE + 1n, SAFE + 2n, -SAFE, -SAFE - 1n, -SAFE - 2n])
        .filter((edge) => edge >= least && edge <= most);
      const any = oneof(
        constantFrom(...edges),
        bigInt({ min: least, max: most }),
      );
      return tuple(any, boolean()).map(([value, isText]) => ({
        given: type.bits === 64 && isText ? `${value}` : toInteger(value),
        back: toInteger(value),
      }));
    }
    case "float": {
      const any = oneof(
        constantFrom(0, 1e308, 5e-324, 2 ** 53 + 2, 2 ** 24 + 1, 0.1, 1e39),
        double({ noNaN: true, noDefaultInfinity: true }),
      );
      const numbers = any.map((value) => {
        const kept = type.bits === 32 ? Math.fround(value) : value;
        // JSON has no negative zero.
        const back = Number.isFinite(kept) ? kept + 0 || 0 : `${kept}`;
        return { given: value || 0, back };
      });
      return oneof(numbers, pairs(constantFrom(...ODD_NUMBERS)));
    }
    case "list": {
      if (!isBytes(type)) return list(valuesOf(type.item));
      const bytes = oneof(
        constantFrom(new Uint8Array(), new Uint8Array(10_000).fill(255)),
        array(bigInt({ min: 0n, max: 255n })).map((all) =>
          Uint8Array.from(all.map(Number))
        ),
      );
      return pairs(bytes.map((all) => all.toBase64()));
    }
    case "tuple":
      return tuple(...type.items.map(valuesOf)).map((all) => ({
        given: all.map(({ given }) => given),
        back: all.map(({ back }) => back),
      }));
    case "record":
      return fieldsOf(type.fields);
    case "variant":
      return oneof(
        ...type.cases.map(({ name, type: of }) =>
          fieldsOf(of ? [{ name: "value", type: of }] : [])
            .map(({ given, back }) => ({
              given: { tag: name, ...given as object },
              back: { tag: name, ...back as object },
            }))
        ),
      );
    case "enum":
      return pairs(constantFrom(...type.names));
    case "flags":
      return oneof(
        constantFrom([], [...type.names]),
        subarray(type.names),
      ).map((names) => ({ given: [...names].reverse(), back: names }));
    case "option":
      return oneof(pairs(constant(null)), someOf(type.item));
    case "result":
      return oneof(
        objectOf("ok", valuesOf(type.ok)),
        objectOf("error", valuesOf(type.error)),
      );
  }
}

/** What an option is if it is there: one of an option is not null. */
function someOf(item: WitType): Pairs {
  const values = valuesOf(item);
  return item.kind === "option" ? objectOf("some", values) : values;
}

/** Objects of fields; an option is there, or left out, as schemas have it. */
function fieldsOf(fields: readonly WitField[]): Pairs {
  const all = fields.map(({ name, type }) =>
    valuesOf(type).map((pair) => {
      const key = toSnakeCase(name);
      const there = {
        given: { [key]: pair.given },
        back: { [key]: pair.back },
      };
      const isLeftOut = type.kind === "option" && pair.given === null;
      return isLeftOut ? { given: {}, back: {} } : there;
    })
  );
  return tuple(...all).map((parts) => ({
    given: Object.assign({}, ...parts.map(({ given }) => given)),
    back: Object.assign({}, ...parts.map(({ back }) => back)),
  }));
}

/** The functions of the guest, which give back what they are given. */
const WIT = decodeWit(await readGuest("types"));
const GIVING = WIT.functions.filter(({ name, params }) =>
  params.length === 1 &&
  /^(give-|root-function$|plain$|result-result$)/.test(name)
);

async function open() {
  const folder = await tempFolder();
  const file = await writeGuest("types", folder.path);
  const running = startComponentProcess(file, {
    ...{ cacheDir: folder.path, grants: { instance: "kept" } },
  });
  return {
    running,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Validators of what each tool takes, and of what it gives. */
async function validatorsOf(running: ComponentProcess) {
  const answer = await running.list();
  assert(answer.type === "tools");
  const ajv = new Ajv({ strict: false, allErrors: false });
  addFormats(ajv);
  return new Map(
    answer.tools.map(({ name, inputSchema, outputSchema }: DownstreamTool) => [
      name,
      {
        takes: ajv.compile(inputSchema),
        ...outputSchema ? { gives: ajv.compile(outputSchema) } : {},
      },
    ]),
  );
}

Deno.test("a value of each type comes back as it was, and both ways its schema has it", async () => {
  await using opened = await open();
  const { running } = opened;
  const validators = await validatorsOf(running);
  assert(GIVING.length > 45, `${GIVING.length}`);
  for (const fn of GIVING) {
    const name = toolNameOf(fn);
    const { takes, gives } = validators.get(name) ?? {};
    assert(takes && gives, name);
    await assertProperty(
      asyncProperty(fieldsOf(fn.params), async ({ given, back }) => {
        const text = `${name}: ${JSON.stringify(given).slice(0, 200)}`;
        const [key = ""] = fn.params.map(({ name }) => toSnakeCase(name));
        assert(takes(given), `${text} ${JSON.stringify(takes.errors)}`);
        const { structuredContent, isError, content } = await running.call(
          name,
          given as object,
          { owner: "a" },
        );
        const { [key]: value = null } = back as Record<string, unknown>;
        const isFailed = name === "maybes__result_result" &&
          Object.hasOwn(value as object, "error");
        const expected = name !== "maybes__result_result"
          ? { result: value }
          : isFailed
          ? value
          : { result: Object(value).ok };
        assertEquals(structuredContent, expected, `${text} ${content?.[0]}`);
        assertEquals(isError === true, isFailed, text);
        assert(
          gives(structuredContent),
          `${text} ${JSON.stringify(gives.errors)}`,
        );
      }),
      { numRuns: RUNS },
    );
  }
  assertEquals(running.strange, []);
});

Deno.test("options that are null, digits, negative zero, long lists and the forms of results are as the docs say", async () => {
  await using opened = await open();
  const { running } = opened;
  const validators = await validatorsOf(running);
  const give = async (name: string, args: object) => {
    const told = await running.call(name, args, { owner: "a" });
    const { structuredContent, isError } = told;
    const gives = validators.get(name)?.gives;
    if (structuredContent) assert(gives?.(structuredContent) ?? true, name);
    return isError ? { isError, structuredContent } : structuredContent;
  };
  const long = Array.from({ length: 20_000 }, (_, at) => at % 2 === 0);
  const point = { x: -1, y: 2 };
  const same: [string, unknown, unknown?][] = [
    ["lists__give_bools", long],
    ["lists__give_strings", Array(5000).fill("")],
    ["primitives__give_u64", "007", 7],
    ["primitives__give_s64", "-0", 0],
    ["primitives__give_s64", "-9223372036854775808"],
    ["primitives__give_f64", "Infinity"],
    ["primitives__give_f32", 0.1, Math.fround(0.1)],
    ["named__give_rights", ["run-it", "read", "run-it"], ["read", "run-it"]],
    ["named__give_shape", { tag: "maybe", value: null }, { tag: "maybe" }],
    ["named__give_shape", { tag: "maybe", value: 0 }],
    ["maybes__give_option", null],
    ["maybes__give_option_record", point],
    ["maybes__give_option_option", null],
    ["maybes__give_option_option", { some: null }],
    ["maybes__give_option_option", { some: 5 }],
    ["maybes__give_result_bare", [{ ok: null }]],
    ["maybes__give_result_bare", [{ error: null }]],
    ["maybes__give_result_error", [{ ok: null }]],
  ];
  for (const [name, value, back = value] of same) {
    const told = await give(name, { value });
    assertEquals(told, { result: back }, name);
  }
  assertEquals(await give("maybes__give_option", {}), { result: null });
  assertEquals(await give("maybes__join", { first: "a", second: null }), {
    ...await give("maybes__join", { first: "a" }),
  });
  // JSON text has a negative zero, and the result has none.
  const zero = await running.ask({
    ...{ type: "call", tool: "primitives__give_f64", timeoutMs: 60_000 },
    arguments: '{"value":-0.0}',
  });
  assert(zero.type === "result");
  assertMatch(zero.result, /"result":0[,}]/);

  const failing = (error?: unknown) => ({
    isError: true,
    structuredContent: error === undefined ? undefined : { error },
  });
  const forms: [string, unknown, unknown][] = [
    ["both", { result: 7 }, failing("it failed")],
    ["ok", { result: 7 }, failing(null)],
    ["error", undefined, failing("it failed")],
    ["bare", undefined, failing(null)],
    ["record", { result: [{ x: 1, y: -2 }] }, failing({ x: 1, y: -2 })],
    ["enum", { result: "fine" }, failing("dark-blue")],
    [
      ...["variant", { result: "fine" }] as const,
      failing({ tag: "at", value: { x: 1, y: -2 } }),
    ],
  ];
  for (const [form, fine, failed] of forms) {
    const name = `maybes__result_${form}`;
    assertEquals(await give(name, { fail: false }), fine as never, name);
    assertEquals(await give(name, { fail: true }), failed as never, name);
  }
});

Deno.test("a wrong value gets an error that names it, its place and what is right, and the next call works", async () => {
  await using opened = await open();
  const { running } = opened;
  const wide = {
    ...{ the_name: "a", start_point: { x: 0, y: 0 }, all_points: [] },
    ...{ big_number: 0, raw_bytes: "", type_of_it: "red", rights: [] },
  };
  const cases: [name: string, value: unknown, message: RegExp][] = [
    ["primitives__give_bool", 1, /value is 1, .*true or false/],
    ["primitives__give_bool", null, /value is null, .*true or false/],
    ["primitives__give_u8", -1, /value is -1, .*from 0 to 255/],
    ["primitives__give_u16", 65536, /value is 65536, .*0 to 65535/],
    ["primitives__give_u32", 1.5, /value is 1\.5, .*integer/],
    ["primitives__give_u32", 2 ** 32, /value is 4294967296/],
    ["primitives__give_u32", "1", /value is "1", .*integer/],
    ["primitives__give_s8", 128, /value is 128, .*-128 to 127/],
    ["primitives__give_s16", -32769, /value is -32769/],
    ["primitives__give_s32", 2 ** 31, /value is 2147483648/],
    ["primitives__give_u64", 2 ** 53, /value is 9007199254740992.*as a text/],
    ["primitives__give_u64", "18446744073709551616", /1844674407370955161/],
    ["primitives__give_u64", "-1", /value is "-1"/],
    ["primitives__give_s64", "9223372036854775808", /-9223372036854775808/],
    ["primitives__give_s64", "1e3", /value is "1e3"/],
    ["primitives__give_f32", "nan", /value is "nan", .*number.*NaN/],
    ["primitives__give_f64", true, /value is true, .*number/],
    ["primitives__give_char", "", /value is "", .*one character/],
    ["primitives__give_char", "ab", /value is "ab"/],
    ["primitives__give_char", "\ud800", /value is "\\ud800"/],
    ["primitives__give_string", 5, /value is 5, .*text/],
    ["primitives__give_string", "a\udc00", /value is "a\\udc00".*whole/],
    ["lists__give_bytes", "*", /value is "\*", .*base64/],
    ["lists__give_bytes", [1, 2], /value is \[1,2\], .*base64/],
    ["lists__give_strings", "a", /value is "a", .*list/],
    ["lists__give_nested", [[], ["a", 1]], /value\[1\]\[1\] is 1, .*text/],
    ["lists__give_pair", ["a"], /value has 1 items, .*list of 2/],
    ["lists__give_pair", ["a", 1, 2], /value has 3 items/],
    ["lists__give_pair", ["a", "b"], /value\[1\] is "b"/],
    ["named__give_point", { x: 1 }, /value\.y is missing/],
    ["named__give_point", { x: 1, y: 1, z: 1 }, /value\.z is not known.*x, y/],
    ["named__give_point", [1, 1], /value is \[1,1\], .*object/],
    [
      "named__give_record",
      { ...wide, start_point: { x: 0, y: "" } },
      /value\.start_point\.y is "", .*integer/,
    ],
    ["named__give_colour", "blue", /value is "blue", .*red, green, dark-blue/],
    ["named__give_rights", ["fly"], /value is \["fly"\], .*read, write/],
    ["named__give_shape", { tag: "cube" }, /value is .*"cube".*circle/],
    ["named__give_shape", { tag: "circle" }, /value\.value is missing/],
    ["named__give_shape", { tag: "nothing", value: 1 }, /value\.value/],
    ["maybes__give_option", "a", /value is "a", .*integer/],
    ["maybes__give_option_option", 5, /value is 5, .*object/],
    ["maybes__give_option_option", { some: "a" }, /value\.some is "a"/],
    ["maybes__result_result", {}, /value is \{\}, .*ok.*error/],
    ["maybes__result_result", { ok: 1, error: 2 }, /value is .*either/],
    ["maybes__give_results", [{ ok: "a" }], /value\[0\]\.ok is "a"/],
  ];
  for (const [name, value, message] of cases) {
    const told = await running.call(name, { value }, { owner: "a" });
    assertEquals(told.isError, true, name);
    const text: string = told.content.map(({ text }: { text: string }) => text)
      .join();
    assertMatch(text, message, name);
    assert(!text.includes("\n") && text.length < 500, text);
  }
  const { structuredContent } = await running.call(
    ...["primitives__give_u8", { value: 1 }, { owner: "a" }] as const,
  );
  assertEquals(structuredContent, { result: 1 });
  assertEquals(running.strange, []);
});

Deno.test("values of Python come back as they were, in a session", async () => {
  await using folder = await tempFolder();
  const file = await writeGuest("types", folder.path);
  const state = ["--state-dir", `${folder.path}/state`];
  await using server = await startServer(["--wasm", file, ...state]);
  const first = await server.call(
    `from components import types, ComponentError
import math
def same(name, value):
    back = getattr(types, name)(value=value)
    assert back == value and type(back) is type(value), (name, value, back)
for value in (0, 1, 2**53 - 1, 2**53, 2**53 + 1, 2**63, 2**64 - 1):
    same("primitives__give_u64", value)
for value in (-(2**63), -(2**53) - 1, 0, 2**63 - 1):
    same("primitives__give_s64", value)
same("lists__give_u64s", [2**64 - 1, 0, 2**53 + 1])
same("lists__give_s64s", [])
for value in (b"", bytes(range(256)), b"\\xff" * 10_000):
    same("lists__give_bytes", value)
same("lists__give_bytes_list", [b"", b"\\0"])
same("lists__give_pair", ("a\\U0001f995", 7))
same("lists__give_single", ("",))
same("lists__give_wide", (255, -(2**63), 0.5, True, "\\U0010ffff", b"\\x80"))
same("lists__give_pairs", [("a", 2**64 - 1), ("b", 0)])
same("lists__give_options", [None, 0, 5])
point = {"x": -1, "y": 2**31 - 1}
same("named__give_record", {
    "the_name": "n", "start_point": point, "all_points": [point, point],
    "maybe_note": "", "big_number": 2**64 - 1, "raw_bytes": b"\\0\\xff",
    "type_of_it": "dark-blue", "rights": ["read", "run-it"],
})
same("named__give_many_flags", [f"f{at}" for at in range(32)])
for value in (
    {"tag": "nothing"}, {"tag": "circle", "value": 1.5}, {"tag": "at", "value": point},
    {"tag": "box-of", "value": (point, point)}, {"tag": "labels", "value": ["a"]}, {"tag": "maybe", "value": 1},
):
    same("named__give_shape", value)
for value in (None, 0, 5):
    same("maybes__give_option", value)
for value in (None, {"some": None}, {"some": 5}):
    same("maybes__give_option_option", value)
same("maybes__give_results", [{"ok": 1}, {"error": "e"}])
assert types.maybes__give_option() is None
assert types.maybes__join("a") == types.maybes__join("a", None)
assert types.primitives__nothing() is None
`,
    { session: "new" },
  );
  assertEquals(first.error, undefined);
  const { session } = first.structured;
  const told = await server.call(
    `failed = []
for form in ("both", "ok", "error", "bare", "record", "enum", "variant"):
    fine = getattr(types, f"maybes__result_{form}")(fail=False)
    try:
        getattr(types, f"maybes__result_{form}")(fail=True)
    except ComponentError as error:
        failed.append([form, fine, error.payload])
for value in (math.inf, -math.inf):
    same("primitives__give_f64", value)
assert math.isnan(types.primitives__give_f64(value=math.nan))
try:
    types.primitives__give_u8(value=2**40)
except Exception as error:
    wrong = f"{type(error).__name__}: {error}"
[failed, wrong, types.primitives__give_u8(255)]`,
    { session },
  );
  const point = { x: 1, y: -2 };
  const [failed, wrong, last] = (told.returnValue ?? []) as unknown[];
  assertEquals(failed, [
    ...[["both", 7, "it failed"], ["ok", 7, null], [
      "error",
      null,
      "it failed",
    ]],
    ...[["bare", null, null], ["record", [point], point]],
    ...[["enum", "fine", "dark-blue"]],
    ["variant", "fine", { tag: "at", value: point }],
  ], told.error);
  assertMatch(`${wrong}`, /value is 1099511627776, .*0 to 255/);
  assertEquals(last, 255);
});
