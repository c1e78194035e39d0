import { assert, assertEquals, assertThrows } from "../../../deps/assert.ts";
import { z } from "../../../deps/zod.ts";
import { anyObject, parseArguments, toJsonSchema } from "./arguments.ts";

const SCHEMA = z.strictObject({
  count: z.int().min(1).max(9).default(1),
  size: z.int().min(0).optional(),
  ratio: z.number().gt(0).lt(1).optional(),
  colour: z.enum(["red", "blue"]).optional(),
  lines: z.array(z.strictObject({ text: z.string() })).optional(),
  names: anyObject().default({}),
});

Deno.test("toJsonSchema() writes what an argument may be, and no more", () => {
  const { properties, required, additionalProperties, ...more } = toJsonSchema(
    SCHEMA,
  );
  const { count, size, names } = { ...properties };
  assertEquals(
    [count, size, names],
    [
      { type: "integer", minimum: 1, maximum: 9, default: 1 },
      { type: "integer", minimum: 0 },
      { type: "object", default: {} },
    ],
  );
  assertEquals([required, additionalProperties], [undefined, false]);
  assertEquals(more, { type: "object" });
});

Deno.test("parseArguments() fills in what is left out, and copies no object", () => {
  assertEquals(parseArguments(SCHEMA, undefined), { count: 1, names: {} });
  const names = JSON.parse('{"__proto__":1,"constructor":2}');
  assert(parseArguments(SCHEMA, { names }).names === names);
});

const long = "x".repeat(1000);
const REFUSED: [unknown, string, string][] = [
  [[], "TypeError", "The arguments must be an object, not an array"],
  [{ count: "1" }, "TypeError", "count must be a number, not a string"],
  [{ count: 1.5 }, "TypeError", "count must be a whole number, not 1.5"],
  [{ count: 0 }, "RangeError", "count is 0, and must be at least 1"],
  [{ count: 10 }, "RangeError", "count is 10, and must be at most 9"],
  [{ ratio: 0 }, "RangeError", "ratio is 0, and must be above 0"],
  [{ ratio: 1 }, "RangeError", "ratio is 1, and must be below 1"],
  [
    { colour: "green" },
    "TypeError",
    'colour: Invalid option: expected one of "red"|"blue"',
  ],
  [{ lines: {} }, "TypeError", "lines must be an array, not an object"],
  [
    { lines: [{ text: "" }, { text: null }] },
    "TypeError",
    "lines[1].text must be a string, not null",
  ],
  [
    { lines: [{ [long]: "" }] },
    "TypeError",
    `lines[0] has an unknown key "${long.slice(0, 100)}": the keys are text`,
  ],
  [{ names: [] }, "TypeError", "names must be an object, not an array"],
  [
    { colour: 5, color: "red" },
    "TypeError",
    'Unknown argument "color": the arguments are count, size, ratio, colour, lines, names',
  ],
];

for (const [given, name, message] of REFUSED) {
  Deno.test(`parseArguments() says: ${message.slice(0, 60)}`, () => {
    assertThrows(
      () => parseArguments(SCHEMA, given),
      (error: Error) => {
        assertEquals([error.name, error.message], [name, message]);
        return true;
      },
    );
  });
}
