import { isDeeper, isObject } from "../../../protocol/fields.ts";
import {
  and,
  ARRAY,
  arrayOf,
  BOOL,
  DECIMALS,
  FLOAT,
  INTEGER,
  mustBe,
  orNull,
  type Part,
  type Place,
  record,
  TEXT,
  whole,
} from "./monty_parts.ts";

/** A kind of value in Monty, by its tag. */
export interface Variant {
  /** What its tag has, but for the values in it. */
  content: Part;
  /** The values in it; absent if it has none. */
  values?: Values;
  /** Whether a run can give it, and a call cannot send it. */
  isOutput?: true;
}

export interface Values {
  /** The field of the content that has them; the content itself if absent. */
  field?: string;
  /** A list of them, or a list of pairs. */
  isPairs?: true;
  /** Which of them Python hashes; `as-it` are those of a value that is hashed itself. */
  hashes?: "keys" | "elements" | "as-it";
  /** Whether the value itself cannot be hashed: what can be, in its place. */
  instead?: string;
}

/** Where the schema of a MontyObject stands in the schema of the tool. */
export const MONTY_OBJECT = { $ref: "#/$defs/MontyObject" };

const VALUES: Part = {
  ...ARRAY,
  schema: { type: "array", items: MONTY_OBJECT },
};
const PAIRS: Part = {
  ...ARRAY,
  schema: {
    type: "array",
    items: { ...VALUES.schema, minItems: 2, maxItems: 2 },
  },
};

const DATE = { year: whole(1, 9999), month: whole(1, 12), day: whole(1, 31) };
const CLOCK = {
  ...{ hour: whole(0, 23), minute: whole(0, 59), second: whole(0, 59) },
  microsecond: whole(0, 999_999),
};
/** A second less than a day. */
const MOST_OFFSET = 86_399;
const OFFSET = whole(-MOST_OFFSET, MOST_OFFSET);
const ZONE = {
  "offset_seconds": orNull(OFFSET),
  "timezone_name": orNull(TEXT),
};
const MOST_DAYS = 999_999_999;
/** As `str()` of a Decimal writes it. */
const DECIMAL =
  /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,18})?|inf(?:inity)?|s?nan\d*)$/i;
const LONGEST_DECIMAL = 100_000;

/** The mode of a file, such as `{ "Read": false }`: whether it is of bytes. */
const MODE: Part = {
  schema: { type: "object" },
  check(value, place) {
    if (!isObject(value) || isDeeper(value, 1)) mustBe(value, place, "a mode");
  },
};

/** A number, and the text in the place of a value that is around it. */
const CYCLE: Part = {
  schema: { type: "array", minItems: 2, maxItems: 2 },
  check(value, place) {
    const [id, shown, ...others] = Array.isArray(value) ? value : [];
    if (others.length > 0 || typeof id !== "number") {
      mustBe(value, place, "a number and a text");
    }
    TEXT.check(shown, place);
  },
};

/** All variants. What is true of each beyond its JSON Schema is in its check. */
export const VARIANTS: Readonly<Record<string, Variant>> = {
  Bool: { content: BOOL },
  Int: { content: INTEGER },
  BigInt: { content: DECIMALS },
  Float: { content: FLOAT },
  Complex: { content: record({ real: FLOAT, imag: FLOAT }) },
  Decimal: {
    content: and(TEXT, (text: string, place) => {
      if (text.length > LONGEST_DECIMAL || !DECIMAL.test(text)) {
        mustBe(text, place, 'a decimal number as a string, such as "1.50"');
      }
    }),
  },
  String: { content: TEXT },
  Bytes: { content: arrayOf(whole(0, 255)) },
  Path: { content: TEXT },
  List: { content: VALUES, values: { instead: "Tuple" } },
  Tuple: { content: VALUES, values: { hashes: "as-it" } },
  Set: {
    content: VALUES,
    values: { hashes: "elements", instead: "FrozenSet" },
  },
  FrozenSet: { content: VALUES, values: { hashes: "elements" } },
  Dict: {
    content: PAIRS,
    values: { isPairs: true, hashes: "keys", instead: "Tuple of pairs" },
  },
  NamedTuple: {
    content: and(
      record({
        ...{ type_name: TEXT, field_names: arrayOf(TEXT) },
        values: VALUES,
      }),
      checkLengths,
    ),
    values: { field: "values", hashes: "as-it" },
  },
  Date: { content: and(record(DATE), checkDay) },
  DateTime: {
    content: and(and(record({ ...DATE, ...CLOCK }, ZONE), checkDay), checkZone),
  },
  Time: {
    content: and(record(CLOCK, { ...ZONE, fold: whole(0, 1) }), checkZone),
  },
  TimeDelta: {
    content: record({
      days: whole(-MOST_DAYS, MOST_DAYS),
      ...{ seconds: whole(0, 86_399), microseconds: whole(0, 999_999) },
    }),
  },
  TimeZone: {
    content: record({ offset_seconds: OFFSET }, { name: orNull(TEXT) }),
  },
  Dataclass: {
    content: and(
      record(
        { name: TEXT, field_names: arrayOf(TEXT), attrs: PAIRS },
        // The plugin has an id of the class.
        { frozen: BOOL, type_id: INTEGER },
      ),
      checkNames,
    ),
    values: { field: "attrs", isPairs: true },
  },
  Exception: { content: record({ exc_type: TEXT }, { arg: orNull(TEXT) }) },
  Type: { content: TEXT },
  BuiltinFunction: { content: TEXT },
  Function: { content: record({ name: TEXT }, { docstring: orNull(TEXT) }) },
  Instance: {
    content: record({ name: TEXT, attrs: PAIRS }),
    values: { field: "attrs", isPairs: true },
    isOutput: true,
  },
  Class: { content: TEXT, isOutput: true },
  Module: { content: TEXT, isOutput: true },
  FileHandle: {
    content: record({ path: TEXT }, { mode: MODE, position: INTEGER }),
    isOutput: true,
  },
  Repr: { content: TEXT, isOutput: true },
  Cycle: { content: CYCLE, isOutput: true },
};

function checkLengths(
  { field_names: names, values }: { field_names: unknown[]; values: unknown[] },
  place: Place,
): void {
  if (names.length === values.length) return;
  throw new RangeError(
    `${place.path} has ${names.length} field_names and ${values.length} values: send a value for each name`,
  );
}

/** Attributes have names, as the keys of their pairs. */
function checkNames({ attrs }: { attrs: unknown[] }, place: Place): void {
  for (const [at, pair] of attrs.entries()) {
    const [key] = Array.isArray(pair) ? pair : [""];
    const name = isObject(key) ? key.String : key;
    if (typeof name !== "string") {
      mustBe(key, place.part("attrs").part(at).part(0), "a name as a string");
    }
  }
}

interface Day {
  year: number;
  month: number;
  day: number;
}

function checkDay({ year, month, day }: Day, place: Place): void {
  // The calendar repeats after 400 years, and `Date` reads those below 100 otherwise.
  const last = new Date(Date.UTC(2000 + year % 400, month, 0)).getUTCDate();
  whole(1, last).check(day, place.part("day"));
}

function checkZone(
  { offset_seconds: offset = null, timezone_name: name = null }: {
    offset_seconds?: number | null;
    timezone_name?: string | null;
  },
  place: Place,
): void {
  if (name === null || offset !== null) return;
  throw new TypeError(
    `${place.path} has a timezone_name without offset_seconds: send both, or none`,
  );
}
