import { assert, assertEquals } from "../../deps/assert.ts";
import { leastMs } from "../../test/support/cost.ts";
import { type JsonObject, textsOf } from "./bound_schema.ts";
import {
  findSchema,
  flatten,
  nameOfReference,
  PartBudget,
} from "./resolve_schema.ts";

Deno.test("findSchema() follows pointers within its document, and none out of it", () => {
  const root = {
    $defs: { "a/b~c d": { type: "string" }, list: { anyOf: [{}, { id: 1 }] } },
  };
  assertEquals(findSchema(root, "#"), root);
  assertEquals(findSchema(root, "#/$defs/a~1b~0c%20d"), { type: "string" });
  assertEquals(findSchema(root, "#/$defs/list/anyOf/1"), { id: 1 });
  for (
    const pointer of [
      ...["", "other.json", "https://localhost/x", "#name", "#/none"],
      ...["#/$defs/constructor", "#/__proto__", "#/$defs/list/anyOf/9"],
      "#/%",
    ]
  ) {
    assertEquals(findSchema(root, pointer), undefined, pointer);
  }
  assertEquals(nameOfReference("#/$defs/a~1b~0c%20d"), "a/b~c d");
});

Deno.test("flatten() gives an object with all that it inherits", () => {
  const root = {
    $defs: {
      base: { properties: { id: { type: "string" } }, required: ["id"] },
      loop: { allOf: [{ $ref: "#/$defs/loop" }], properties: { x: {} } },
    },
  };
  assertEquals(
    flatten(root, {
      allOf: [{ $ref: "#/$defs/base" }, { required: ["name"] }],
      properties: { name: {} },
    }, new PartBudget()),
    {
      properties: { id: { type: "string" }, name: {} },
      required: ["id", "name"],
    },
  );
  assertEquals(
    flatten(root, { $ref: "#/$defs/loop" }, new PartBudget()),
    { properties: { x: {} } },
  );
});

Deno.test("flatten() gives of variants all properties, and what each requires", () => {
  const variants = [
    { properties: { a: {}, b: {} }, required: ["a", "b"] },
    { properties: { a: {}, c: {} }, required: ["a"] },
  ];
  assertEquals(flatten({}, { anyOf: variants }, new PartBudget()), {
    anyOf: variants,
    type: "object",
    properties: { a: {}, b: {}, c: {} },
    required: ["a"],
  });
  const own = { properties: { d: {} }, oneOf: variants };
  assertEquals(flatten({}, own, new PartBudget()), own);
});

Deno.test("flatten() reads no more parts than a budget has", () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [
      at,
      { allOf: Array(20).fill({ $ref: `#/$defs/${at + 1}` }) },
    ]),
  );
  const budget = new PartBudget();
  flatten({ $defs }, { $ref: "#/$defs/0" }, budget);
  assertEquals(budget.left, 0);
});

Deno.test("flatten() copies no large part for each of thousands of references", () => {
  const keys = Array.from({ length: 3000 }, (_, at) => `p${at}`);
  const properties = Object.fromEntries(keys.map((key) => [key, {}]));
  const schema = { allOf: Array(3000).fill({ $ref: "#/$defs/a" }) };
  const root = { $defs: { a: { properties } } };
  const flat = flatten(root, schema, new PartBudget());
  assertEquals(Object.keys(flat), ["properties"]);
  assertEquals(Object.keys(Object(flat.properties)), keys);
});

Deno.test("findSchema() gives no schema that stands above the named one", () => {
  const keys = Array.from({ length: 20 }, (_, level) => `level${level}`);
  const root = keys.reduceRight<JsonObject>(
    (schema, key) => ({ [key]: schema }),
    { type: "string" },
  );
  assertEquals(findSchema(root, `#/${keys.join("/")}`), { type: "string" });
  assertEquals(findSchema(root, `#/${keys.join("/")}/more`), undefined);
});

Deno.test("flatten() takes thousands of parts for little more than as many properties", () => {
  const names = Array.from({ length: 3000 }, (_, at) => `p${at}`);
  const toProperties = (keys: string[]) => ({
    properties: Object.fromEntries(keys.map((key) => [key, {}])),
  });
  const parts = names.map((key) => toProperties([key]));
  const cost = (schema: JsonObject) =>
    leastMs(() => flatten({}, schema, new PartBudget()));
  const whole = cost({ allOf: [toProperties(names)] });
  for (const schema of [{ allOf: parts }, { anyOf: parts }]) {
    assert(cost(schema) < 60 * whole, Object.keys(schema)[0]);
  }
});

Deno.test("flatten() copies no part of a schema as often as it is named", () => {
  const named = (name: string, times: number) =>
    Array.from({ length: times }, () => ({ $ref: `#/$defs/${name}` }));
  const parts: Record<string, JsonObject> = {
    required: { required: Array.from({ length: 500 }, () => "a") },
    keys: Object.fromEntries(
      Array.from({ length: 500 }, (_, n) => [`key${n}`, n]),
    ),
  };
  for (const [name, part] of Object.entries(parts)) {
    const root = {
      $defs: { [name]: part, some: { allOf: named(name, 40) } },
      allOf: named("some", 40),
    };
    let read = 0;
    root.$defs[name] = new Proxy(part, {
      ownKeys: (target) => (read++, Reflect.ownKeys(target)),
    });
    const { required = [] } = flatten(root, root, new PartBudget());
    assert(textsOf(required).length <= 12_000, name);
    assert(read <= 200, `${name} is read ${read} times`);
  }
});
