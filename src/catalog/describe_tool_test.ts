import { assert, assertEquals, assertMatch } from "../../deps/assert.ts";
import {
  type Arbitrary,
  array,
  assertProperty,
  asyncProperty,
  constantFrom,
  dictionary,
  integer,
  jsonValue,
  letrec,
  oneof,
  property,
  string,
  tuple,
} from "../../deps/fast_check.ts";
import { checkStubs } from "../../test/support/check_stubs.ts";
import { leastMs } from "../../test/support/cost.ts";
import {
  DIFFICULT,
  readAliasedTools,
  readTools,
  RECORDED,
} from "../../test/support/recorded_tools.ts";
import { type DownstreamTool, maybeTool } from "../protocol/downstream.ts";
import { toStub, toSummary, toToolInfo } from "./describe_tool.ts";
import { PythonTypes } from "./python_types.ts";
import { TypedDicts } from "./typed_dicts.ts";

const LARGEST_STUB = 64_000;

function stubOf(server: string, name: string): string {
  const found = readAliasedTools(server).find(({ tool }) => tool.name === name);
  assert(found);
  return toStub(found.tool, found.alias);
}

function toTool(
  inputSchema: unknown,
  rest: { [field: string]: unknown } = {},
): DownstreamTool {
  const tool = maybeTool({ name: "tool", inputSchema, ...rest });
  assert(tool);
  return tool;
}

Deno.test("toStub() gives the tools of real servers, and difficult ones, in Python", async () => {
  const all = [...RECORDED, DIFFICULT].flatMap(readAliasedTools);
  await checkStubs(
    all.map(({ tool, alias }) => ({ alias, stub: toStub(tool, alias) })),
  );
});

Deno.test("toStub() has types, defaults, and what the result's data is", () => {
  assertEquals(
    stubOf("time", "get_current_time"),
    `class GetCurrentTimeResult(TypedDict):
    timezone: str
    datetime: str
    day_of_week: str
    is_dst: bool

async def get_current_time(*, timezone: str) -> Result[GetCurrentTimeResult]:
    """Get current time in a specific timezone

    timezone: IANA timezone name (e.g., 'America/New_York', 'Europe/London'). Use 'Europe/Berlin' as local timezone if no timezone provided by the user.
    """`,
  );
  assertEquals(
    stubOf("fetch", "fetch"),
    `async def fetch(
    *,
    url: str,
    max_length: int = 5000,
    start_index: int = 0,
    raw: bool = False,
) -> dict:
    """Fetches a URL from the internet and optionally extracts its contents as markdown.

    url: URL to fetch (format uri; characters: at least 1)
    max_length: Maximum number of characters to return. (at least 1; at most 999999)
    start_index: On return output starting at this character index, useful if a previous fetch was truncated and more context is required. (at least 0)
    raw: Get the actual HTML content of the requested page, without simplification.
    """`,
  );
  assertMatch(
    stubOf("everything", "gzip-file-as-resource"),
    / data: str = \.\.\.,\n.*\n.*\n[^]*\n +data: .*default "https:/,
  );
});

Deno.test("toStub() knows unions, literals, lists of kinds, and dictionaries", () => {
  assertEquals(
    stubOf(DIFFICULT, "Shapes.draw-all"),
    `class ShapesItem(TypedDict):
    kind: Literal["circle"]
    radius: float

class ShapesItem_2(TypedDict):
    kind: Literal["square"]
    side: float

class Out(TypedDict):
    drawn: int

async def shapes_draw_all(
    *,
    shapes: list[ShapesItem | ShapesItem_2],
    color: Literal["red", "blue"] | None = ...,
    levels: Literal[1, 2, None, True, "all"] = ...,
    scale: float = ...,
    point: list[float | str] = ...,
    labels: dict[str, str | None] = ...,
    when: str = ...,
) -> Result[Out]:
    """Draws shapes

    when: (format date-time; pattern ^\\\\d{4})
    """`,
  );
  assertMatch(
    stubOf(DIFFICULT, "variants"),
    /variants\(\*, id: str, all: bool = \.\.\., path: str = \.\.\.\) -> dict:\n {4}\.\.\.$/,
  );
});

Deno.test("toStub() knows parts that are not objects", () => {
  const $defs = {
    color: { enum: ["red", "blue"] },
    either: { anyOf: [{ type: "string" }, { type: "integer" }] },
  };
  const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
  const properties = {
    one: { allOf: [ref("color")], default: "red" },
    two: { allOf: [ref("color"), { description: "A color." }] },
    three: { allOf: [ref("either"), { title: "Either" }] },
  };
  assertEquals(
    toStub(toTool({ properties, $defs, required: ["two"] }), "tool"),
    `async def tool(
    *,
    two: Literal["red", "blue"],
    one: Literal["red", "blue"] = "red",
    three: str | int = ...,
) -> dict:
    ...`,
  );
});

Deno.test("toStub() ends at types within themselves", () => {
  assertEquals(
    stubOf(DIFFICULT, "tree"),
    `class Node(TypedDict):
    value: str
    children: NotRequired[list[Node]]
    parent: NotRequired[Node | None]

class Other(TypedDict):
    pair: NotRequired[Pair]

Pair = TypedDict("Pair", {
    "class": "NotRequired[Pair]",
    "other pair": NotRequired[Other],
})

async def tree(
    *,
    root: Node,
    json: str | float | list[Any] | dict[str, Any] = ...,
    pair: Pair = ...,
) -> dict:
    """Objects within themselves."""`,
  );
  assertEquals(
    stubOf(DIFFICULT, "open_api"),
    `Filter_2 = TypedDict("Filter_2", {
    "names": NotRequired[list[str]],
    "not": "NotRequired[Filter_2]",
})

Filter = TypedDict("Filter", {
    "names": NotRequired[list[str]],
    "not": NotRequired[Filter_2],
    "strict": NotRequired[bool],
})

async def open_api(*, query: str, limit: int | None, filter: Filter = ...) -> dict:
    """limit: (at least 1; at most 20)"""`,
  );
});

Deno.test("toToolInfo() keeps the keys of parameters that are no names of Python", () => {
  const tool = readTools(DIFFICULT).find(({ name }) => name === "import");
  assert(tool);
  const { parameters, doc, returns } = toToolInfo(tool, "import_");
  assertEquals(
    Object.fromEntries(parameters.map(({ name, key }) => [name, key])),
    {
      from_: "from",
      gr__e: "größe",
      max_size_2: "max-size",
      max_size: "max_size",
      _2d: "2d",
      _: "",
      None_: "None",
      self: "self",
      a_b___: 'a\nb"""',
      type: "type",
      match: "match",
      __debug___: "__debug__",
      options: "options",
    },
  );
  assertEquals(
    parameters.filter(({ isRequired }) => isRequired).map(({ key }) => key),
    ["from", "größe"],
  );
  assertEquals(parameters[2]?.default, 5);
  assertMatch(doc, /second paragraph.*"""[^]*\nTypes:\n\nOptions = TypedDict/);
  assertEquals(returns, "dict");
});

Deno.test("toToolInfo() shows what a server lists", () => {
  const [tool] = readTools("time");
  assert(tool);
  const { doc: _, parameters, ...rest } = toToolInfo(tool, "get_current_time");
  assertEquals(
    rest,
    {
      name: "get_current_time",
      alias: "get_current_time",
      description: "Get current time in a specific timezone",
      input_schema: tool.inputSchema,
      output_schema: tool.outputSchema,
      annotations: tool.annotations,
      returns: "Result[GetCurrentTimeResult]",
    } as unknown as typeof rest,
  );
  assertEquals(parameters.map(({ name, type }) => ({ name, type })), [
    { name: "timezone", type: "str" },
  ]);
});

Deno.test("toSummary() is a first paragraph, bounded", () => {
  assertEquals(toSummary("One\ntwo.\n \nThree."), "One\ntwo.");
  assertEquals(toSummary("x".repeat(1e6)), `${"x".repeat(299)}…`);
  assertEquals(toSummary(""), "");
});

/** Texts that would leave a docstring, a literal, a comment or a line. */
const ESCAPES = [
  '"""\nimport os\n"""',
  '""""""',
  '\\"""',
  "\\",
  "'''",
  '"',
  "# \r import os",
  "\u2028import os\u2029",
  "\x00\x0c\x1b[2J",
  "\ud800",
  "\u202ereversed",
  "{}'\"\\N{BULLET}\\x00\n    return 1",
  ")): import os #",
  "ends with a backslash\\",
  'ends with quotes""',
  "\u{e0041}hidden\u{e007f}",
  "__proto__",
  "constructor",
  "class",
  "__x",
  "Any",
  "TypedDict",
];

Deno.test("toStub() stays one function of valid Python whatever texts a server has", async () => {
  const stubs = ESCAPES.flatMap((text) => [
    toTool({}, { description: text }),
    toTool({}, { description: `first ${text}\n\n${text}`, title: text }),
    toTool({
      properties: {
        [text]: {
          description: text,
          default: text,
          format: text,
          pattern: text,
          title: text,
        },
        option: { enum: [text, "other"] },
        constant: { const: text },
        nested: {
          properties: { [text]: { description: text, enum: [text] } },
          required: [text],
        },
        twice: { properties: { [text]: { properties: { [text]: {} } } } },
        ref: { $ref: `#/$defs/${text.replaceAll("/", "~1")}` },
        list: { default: { [text]: [text, null, 1e400] } },
      },
      required: [text],
      $defs: { [text]: { properties: { [text]: {} } } },
    }, { outputSchema: { properties: { [text]: { enum: [text] } } } }),
  ]).map((tool) => ({ alias: "tool", stub: toStub(tool, "tool") }));
  await checkStubs(stubs);
});

Deno.test("toStub() names the parameters that it leaves out as no other is named", async () => {
  const keys = [
    "more",
    "more_2",
    ...Array.from({ length: 230 }, (_, n) => `k${n}`),
  ];
  const properties = Object.fromEntries(keys.map((key) => [key, {}]));
  const stub = toStub(toTool({ properties }), "tool");
  await checkStubs([{ alias: "tool", stub }]);
  assertMatch(stub, /\*\*more_3: Any/);
  assertMatch(stub, /more_3: 32 more parameters/);
});

Deno.test("toToolInfo() takes a short schema that names its parts again and again for little more than another", () => {
  const parts = ["a", "b", "c", "d", "e", "f"];
  const named = (at: number) => ({
    allOf: Array(6).fill({ $ref: `#/$defs/${parts[at] ?? "x"}` }),
  });
  const $defs = Object.fromEntries(
    parts.map((part, at) => [part, named(at + 1)]),
  );
  const properties = { value: { allOf: [{ $ref: "#/$defs/a" }, {}] } };
  const hostile = { ...named(0), $defs, properties };
  const { length } = JSON.stringify(hostile);
  const plain = {
    properties: Object.fromEntries(
      Array.from({ length: length / 30 }, (_, at) => [
        `parameter_${at}`,
        { type: "string" },
      ]),
    ),
  };
  const cost = (schema: unknown) =>
    leastMs(() => toToolInfo(toTool(structuredClone(schema)), "tool"));
  assert(cost(hostile) < 60 * cost(plain));
});

Deno.test("toToolInfo() reads values that many parameters have once", () => {
  let read = 0;
  const one = { allOf: [{ $ref: "#/$defs/one" }, {}] };
  const root = {
    $defs: { one: { enum: Array.from({ length: 500 }, (_, at) => at) } },
  };
  const types = new PythonTypes(root, new TypedDicts());
  root.$defs.one.enum.map = function (work) {
    read++;
    return Array.prototype.map.call(this, work as never) as never;
  };
  const found = Array.from(
    { length: 20 },
    () => types.of(structuredClone(one), "x"),
  );
  assertEquals([new Set(found), read], [new Set(["float"]), 1]);
});

Deno.test("toStub() is bounded for schemas without bounds", async () => {
  const deep: Record<string, unknown> = {};
  let inner = deep;
  for (let depth = 0; depth < 10_000; depth++) {
    inner.properties = { inner: inner = {} };
  }
  const wide = (count: number, schema: (at: number) => unknown) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`key_${at}`, schema(at)]),
    );
  const twice = (name: string) => ({
    anyOf: [
      { type: "array", items: { $ref: name } },
      { type: "object", additionalProperties: { $ref: name } },
    ],
  });
  const parts = (name: string) => ({ allOf: Array(30).fill({ $ref: name }) });
  const schemas: Record<string, unknown> = {
    deep: { properties: deep },
    wide: { properties: wide(5000, () => ({ type: "string" })) },
    "wide and deep": {
      properties: wide(300, () => ({ properties: wide(70, () => deep) })),
    },
    large: { properties: { text: { description: "x".repeat(1 << 20) } } },
    "large enum": {
      properties: { one: { enum: Array.from({ length: 1e5 }, String) } },
    },
    "long name": { properties: { ["x".repeat(1e5)]: {} } },
    "references that double": {
      properties: { first: { $ref: "#/$defs/key_0" } },
      $defs: wide(500, (at) => twice(`#/$defs/key_${at + 1}`)),
    },
    "parts that multiply": {
      properties: { first: parts("#/$defs/key_0") },
      $defs: wide(60, (at) => parts(`#/$defs/key_${at + 1}`)),
    },
    "parts that are the whole": {
      properties: wide(500, () => ({ allOf: [{ $ref: "#" }, { $ref: "#" }] })),
    },
    "types by the thousand": {
      properties: { one: { type: Array(20_000).fill("object") } },
    },
    "types by the line": {
      properties: wide(200, (at) => ({ const: "x".repeat(200) + at })),
    },
    "long keys": {
      properties: { one: { properties: { ["x".repeat(60_000)]: {} } } },
    },
    "classes by the thousand": {
      properties: wide(200, (at) => ({
        properties: { [`x${at}`]: {}, ...wide(20, () => ({})) },
      })),
    },
  };
  const stubs = Object.entries(schemas).map(([name, schema]) => {
    const tool = toTool(schema, { outputSchema: schema });
    const stub = toStub(tool, "tool");
    assert(stub.length < LARGEST_STUB, `${name}: ${stub.length}`);
    const info = JSON.stringify(toToolInfo(tool, "tool"));
    assert(info.length < 5 * LARGEST_STUB, `${name}: ${info.length}`);
    return { alias: "tool", stub };
  });
  const [classes] = stubs.slice(-1);
  assert(classes && classes.stub.length < 30_000);
  await checkStubs(stubs);
});

const DEPTH = { maxDepth: 5, depthIdentifier: "schema" };
const TEXT = oneof(
  string({ unit: "binary", maxLength: 8 }),
  constantFrom(...ESCAPES, "a", "b"),
);
const REFERENCE = constantFrom("#", "#/$defs/a", "#/properties/a", "#/items");

/** Schemas that may mean anything; leaves come first. */
const SCHEMA: Arbitrary<unknown> = letrec((tie) => {
  const some = array(tie("schema"), { minLength: 1, maxLength: 3 });
  return {
    schema: oneof(
      DEPTH,
      oneof(
        constantFrom("string", "integer", "null", "array", "object")
          .map((type) => ({ type })),
        REFERENCE.map(($ref) => ({ $ref })),
        array(oneof(TEXT, integer(), jsonValue({ maxDepth: 1 })), {
          minLength: 1,
          maxLength: 3,
        }).map((values) => ({ enum: values })),
        jsonValue({ maxDepth: 2 }),
      ),
      dictionary(TEXT, tie("schema"), { minKeys: 1, maxKeys: 4 }).map(
        (properties) => ({
          type: "object",
          properties,
          required: Object.keys(properties).slice(1),
        }),
      ),
      tie("schema").map((items) => ({ type: "array", items })),
      tie("schema").map((additionalProperties) => ({ additionalProperties })),
      some.map((anyOf) => ({ anyOf })),
      some.map((allOf) => ({ allOf })),
      tuple(tie("schema"), TEXT).map(([schema, text]) => ({
        ...Object(schema),
        ...{ description: text, default: text, title: text, format: text },
        nullable: true,
      })),
    ),
  };
}).schema;

Deno.test("toStub() makes valid Python of any schema", async () => {
  const tools = array(SCHEMA, { minLength: 40, maxLength: 40 });
  await assertProperty(
    asyncProperty(tools, async (schemas) => {
      await checkStubs(schemas.map((schema) => {
        const tool = toTool({ properties: { schema }, $defs: { a: schema } }, {
          outputSchema: schema,
        });
        return { alias: "tool", stub: toStub(tool, "tool") };
      }));
    }),
    { numRuns: 15 },
  );
});

Deno.test("toToolInfo() gives JSON of any schema", () => {
  assertProperty(property(SCHEMA, (schema) => {
    const info = toToolInfo(toTool(JSON.parse(JSON.stringify(schema))), "tool");
    assertEquals(JSON.parse(JSON.stringify(info)), info);
    const names = info.parameters.map(({ name }) => name);
    assertEquals(new Set(names).size, names.length);
  }));
});
