import type { Json } from "../../../protocol/run_result.ts";
import { isObject } from "../../../protocol/fields.ts";
import { show } from "../arguments.ts";
import { count, head } from "../../../results/cut.ts";
import { object } from "../../../results/fields.ts";

export type Schema = Readonly<Record<string, Json>>;

/** Python hashes the value, as this. */
export type Hashed = "a key of a Dict" | "an element of a set" | undefined;

/** Where a value stands in the arguments of a call. Its path is written if it is wrong. */
export class Place {
  constructor(
    private readonly key: string | number,
    private readonly parent?: Place,
    /** Values around it. */
    readonly depth: number = 0,
    readonly hashed: Hashed = undefined,
  ) {}

  /** The place of a part of the same value. */
  part(key: string | number): Place {
    return new Place(key, this, this.depth, this.hashed);
  }

  /** The place of another value in this one. */
  value(key: string | number, hashed?: Hashed): Place {
    return new Place(key, this, this.depth + 1, hashed);
  }

  get path(): string {
    const path = this.#whole.slice(1);
    return path.length > LONGEST ? `${head(path, LONGEST)}…` : path;
  }

  get #whole(): string {
    const key = typeof this.key === "number" ? `[${this.key}]` : `.${this.key}`;
    return (this.parent ? this.parent.#whole : "") + key;
  }
}

/** Characters of a path, or of a value, in an error. */
const LONGEST = 100;

/** A part of a MontyObject: its JSON Schema, and the same as a check, which names the remedy. */
export interface Part {
  schema: Schema;
  /** @throws {TypeError | RangeError} */
  check(value: unknown, place: Place): void;
}

/** Says what a value is, and must be. */
export function mustBe(value: unknown, place: Place, right: string): never {
  throw new TypeError(`${place.path} is ${show(value)}, and must be ${right}`);
}

/** Adds a check to a part, whose own check has let the value through. */
export function and(
  { schema, check }: Part,
  more: (value: never, place: Place) => void,
): Part {
  return {
    schema,
    check(value, place) {
      check(value, place);
      more(value as never, place);
    },
  };
}

export const BOOL: Part = {
  schema: { type: "boolean" },
  check(value, place) {
    if (typeof value !== "boolean") mustBe(value, place, "true or false");
  },
};

export const TEXT: Part = {
  schema: { type: "string" },
  check(value, place) {
    if (typeof value !== "string") mustBe(value, place, "a string");
    checkText(value, place);
  },
};

/** Refuses text that UTF-8 does not have: an engine could not read it as JSON. */
export function checkText(text: string, place: Place): void {
  if (text.isWellFormed()) return;
  throw new TypeError(
    `${place.path} has half of a surrogate pair, which is not a character: send text that is UTF-8`,
  );
}

export function whole(minimum: number, maximum: number): Part {
  return {
    schema: { type: "integer", minimum, maximum },
    check(value, place) {
      const range = `a whole number from ${minimum} to ${maximum}`;
      if (typeof value !== "number" || !Number.isInteger(value)) {
        mustBe(value, place, range);
      }
      if (value >= minimum && value <= maximum) return;
      throw new RangeError(`${place.path} is ${value}, and must be ${range}`);
    },
  };
}

const DIGITS = "^-?[0-9]+$";
/** Python reads them in a square of time. */
const MOST_DIGITS = 100_000;

/** A number as its digits. */
export const DECIMALS: Part = {
  schema: { type: "string", pattern: DIGITS },
  check(value, place) {
    if (typeof value === "number") {
      mustBe(value, place, `its digits as a string, "${value}"`);
    }
    if (typeof value !== "string" || !new RegExp(DIGITS).test(value)) {
      mustBe(
        value,
        place,
        'a whole number as its decimal digits, such as "-12"',
      );
    }
    const digits = value.replace("-", "").length;
    if (digits <= MOST_DIGITS) return;
    throw new RangeError(
      `${place.path} has ${count(digits)} digits, and may have ${
        count(MOST_DIGITS)
      }: send it in hexadecimal, as a String for int(…, 16)`,
    );
  },
};

export const INTEGER: Part = {
  schema: { anyOf: [{ type: "integer" }, DECIMALS.schema] },
  check(value, place) {
    if (typeof value === "string") return DECIMALS.check(value, place);
    if (typeof value !== "number") {
      mustBe(value, place, "a whole number, or its decimal digits as a string");
    }
    if (!Number.isInteger(value)) {
      mustBe(value, place, `a whole number: send {"Float": ${value}}`);
    }
    refuseRounded(value, place, 'send its digits as a string, {"Int": "…"}');
  },
};

/** Refuses whole numbers that JSON's readers round, and so may be other numbers. */
export function refuseRounded(
  value: number,
  place: Place,
  remedy: string,
): void {
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return;
  throw new RangeError(
    `${place.path} is ${value}, which is beyond 2**53, where numbers of JSON are rounded: ${remedy}`,
  );
}

const NOT_FINITE = ["NaN", "Infinity", "-Infinity"];

export const FLOAT: Part = {
  schema: { anyOf: [{ type: "number" }, { enum: NOT_FINITE }] },
  check(value, place) {
    if (typeof value === "number" && Number.isFinite(value)) return;
    if (typeof value === "string" && NOT_FINITE.includes(value)) return;
    mustBe(
      value,
      place,
      'a number, or "NaN", "Infinity" or "-Infinity" as a string',
    );
  },
};

export const ARRAY: Part = {
  schema: { type: "array" },
  check(value, place) {
    if (!Array.isArray(value)) mustBe(value, place, "an array");
  },
};

export function arrayOf({ schema, check }: Part): Part {
  return and(
    { ...ARRAY, schema: { type: "array", items: schema } },
    (items: unknown[], place) => {
      for (const [at, item] of items.entries()) check(item, place.part(at));
    },
  );
}

/** An object of these fields, and no others. */
export function record(
  must: Readonly<Record<string, Part>>,
  may: Readonly<Record<string, Part>> = {},
): Part {
  const parts = Object.entries({ ...must, ...may });
  const schemas = (some: Readonly<Record<string, Part>>) =>
    Object.fromEntries(
      Object.entries(some).map(([name, { schema }]) => [name, schema]),
    );
  return {
    schema: {
      ...object(schemas(must), schemas(may)),
      additionalProperties: false,
    },
    check(value, place) {
      const keys = parts.map(([name]) => name);
      if (!isObject(value)) {
        mustBe(value, place, `an object with ${keys.join(", ")}`);
      }
      const unknown = Object.keys(value).find((key) => !keys.includes(key));
      if (unknown !== undefined) {
        throw new TypeError(
          `${place.path} has an unknown key "${
            head(unknown, LONGEST)
          }": the keys are ${keys.join(", ")}`,
        );
      }
      for (const [name, part] of parts) {
        if (Object.hasOwn(value, name) || Object.hasOwn(must, name)) {
          part.check(value[name], place.part(name));
        }
      }
    },
  };
}

export function orNull({ schema, check }: Part): Part {
  return {
    schema: { anyOf: [schema, { type: "null" }] },
    check(value, place) {
      if (value !== null) check(value, place);
    },
  };
}
