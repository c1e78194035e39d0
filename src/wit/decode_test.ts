import { assert, assertEquals, assertThrows } from "../../deps/assert.ts";
import {
  array,
  assertProperty,
  nat,
  property,
  tuple,
} from "../../deps/fast_check.ts";
import {
  component,
  custom,
  declaredType,
  exported,
  functionType,
  inner,
  leb,
  lifted,
  record,
  section,
  STRING,
  text,
  U32,
  vector,
} from "../../test/support/component_bytes.ts";
import { readGuest } from "../../test/support/guests.ts";
import { decodeWit, refusedImports } from "./decode.ts";
import { WitError, type WitFunction, type WitType } from "./types.ts";

const WIT = new URL("../../test/guests/wit/", import.meta.url);

/** A function as WIT writes it, with its types in full. */
function toLine({ name, params, result }: WitFunction): string {
  const list = params.map(({ name, type }) => `${name}: ${toWit(type)}`);
  const gives = result ? ` -> ${toWit(result)}` : "";
  return `${name}: func(${list.join(", ")})${gives};`;
}

function toWit(type: WitType): string {
  switch (type.kind) {
    case "integer":
      return `${type.signed ? "s" : "u"}${type.bits}`;
    case "float":
      return `f${type.bits}`;
    case "list":
      return `list<${toWit(type.item)}>`;
    case "option":
      return `option<${toWit(type.item)}>`;
    case "tuple":
      return `tuple<${type.items.map(toWit).join(", ")}>`;
    case "record": {
      const fields = type.fields.map(({ name, type }) =>
        `${name}: ${toWit(type)}`
      );
      return `record { ${fields.join(", ")} }`;
    }
    case "variant": {
      const cases = type.cases.map(({ name, type }) =>
        type ? `${name}(${toWit(type)})` : name
      );
      return `variant { ${cases.join(", ")} }`;
    }
    case "enum":
    case "flags":
      return `${type.kind} { ${type.names.join(", ")} }`;
    case "result": {
      const sides = [type.ok ? toWit(type.ok) : "_"];
      if (type.error) sides.push(toWit(type.error));
      return type.ok || type.error ? `result<${sides.join(", ")}>` : "result";
    }
    default:
      return type.kind;
  }
}

/** Types of the guest `types` that have names, in full. */
const POINT = "record { x: s32, y: s32 }";
const COLOUR = "enum { red, green, dark-blue }";
const RIGHTS = "flags { read, write, run-it }";
const NAMED: Record<string, string> = {
  point: POINT,
  colour: COLOUR,
  "alias-of-point": POINT,
  "access-rights": RIGHTS,
  "many-flags": `flags { ${
    Array.from({ length: 32 }, (_, at) => `f${at}`).join(", ")
  } }`,
  "wide-record":
    `record { the-name: string, start-point: ${POINT}, all-points: list<${POINT}>, maybe-note: option<string>, big-number: u64, raw-bytes: list<u8>, type-of-it: ${COLOUR}, rights: ${RIGHTS} }`,
  shape:
    `variant { nothing, circle(f64), box-of(tuple<${POINT}, ${POINT}>), at(${POINT}), labels(list<string>), maybe(option<u32>) }`,
};

/** The functions of an interface, as its source has them. */
async function readLines(file: string, name: string): Promise<string[]> {
  const source = await Deno.readTextFile(new URL(file, WIT));
  const body = source.split(`interface ${name} {`)[1]?.split("\n}")[0] ?? "";
  return [...body.matchAll(/^ {2}(\S+: func\(.*;)$/gm)].map(([, line]) =>
    line!.replace(
      /(?<![\w-])[a-z][a-z-]*(?![\w-]*[:\w-])/g,
      (word) => NAMED[word] ?? word,
    )
  );
}

const RESOURCE = "it belongs to a resource";

Deno.test("decodeWit() gives the functions of a component as their WIT has them", async () => {
  const { functions, leftOut, world } = decodeWit(await readGuest("types"));
  for (const name of ["primitives", "lists", "named", "maybes"]) {
    const found = functions.filter((fn) =>
      fn.interface === `test:types/${name}@1.0.0`
    );
    const lines = await readLines("types/types.wit", name);
    assert(lines.length > 5);
    assertEquals(found.map(toLine).sort(), lines.sort());
  }
  assertEquals(
    functions.filter((fn) => fn.interface === undefined).map(toLine),
    [
      "root-function: func(the-value: string) -> string;",
      "give-root-record: func(value: record { name: string, value: u32 }) -> record { name: string, value: u32 };",
    ],
  );
  assertEquals(world, undefined);
  const handles = "test:types/handles@1.0.0";
  assertEquals(
    functions.filter((fn) => fn.interface === handles).map(toLine),
    ["plain: func(value: u32) -> u32;"],
  );
  assertEquals(
    leftOut.map((
      { name, reason },
    ) => [name.replace(`${handles}#`, ""), reason]),
    [
      ["[constructor]counter", RESOURCE],
      ["[method]counter.increment", RESOURCE],
      ["[static]counter.from-text", RESOURCE],
      ["take", "its parameter value has a handle of the resource counter"],
      ["make", "its result has a handle of the resource counter"],
    ],
  );
});

Deno.test("decodeWit() knows a server of MCP, and hides what its tools left behind", async () => {
  for (const name of ["rust", "javascript"] as const) {
    const { functions, leftOut, imports, world } = decodeWit(
      await readGuest(name),
    );
    assertEquals(world, "mcp-wasm:server/server");
    assertEquals(
      functions.map((fn) => `${fn.interface ?? ""}#${fn.name}`).sort(),
      [
        "#initialize",
        "#notify",
        "mcp-wasm:server/prompts@0.1.0#get-list",
        "mcp-wasm:server/resources@0.1.0#list",
        "mcp-wasm:server/resources@0.1.0#read",
        "mcp-wasm:server/tools@0.1.0#call",
        "mcp-wasm:server/tools@0.1.0#get-list",
      ],
    );
    assertEquals(leftOut, []);
    assertEquals(imports.length > 0, name === "rust");
  }
});

Deno.test("decodeWit() reads doc comments", async () => {
  const { functions } = decodeWit(await readGuest("types"));
  const docsOf = (name: string) =>
    functions.find((fn) => fn.name === name)?.docs;
  assertEquals(docsOf("give-bool"), "Gives a bool back.");
  assertEquals(
    docsOf("add-two"),
    'Adds two integers, in words of more\nthan a line.\n\nAnd a paragraph with `code`, "quotes" and a */ in it.',
  );
  assertEquals(docsOf("root-function"), "A function at the root of the world.");
  assertEquals(docsOf("give-u8"), undefined);
});

/** A component that exports functions of one type, with these sections behind them. */
const withFunctions = (names: string[], type: number[], ...more: number[][]) =>
  component(
    section(7, type),
    section(8, ...names.map(() => lifted(0))),
    section(11, ...names.map((name, at) => exported(name, 1, at))),
    ...more,
  );

const NOTHING = functionType([]);

Deno.test("decodeWit() reads documentation of all forms, and passes over others", () => {
  const bytesOf = (json: string) => [...new TextEncoder().encode(json)];
  const docsIn = (section: number[]) =>
    decodeWit(withFunctions(["go"], NOTHING, section)).functions[0]?.docs;
  const docs = (version: number, json: string) =>
    custom("package-docs", [version, ...bytesOf(json)]);
  const old = docs(0, '{"worlds":{"w":{"func_exports":{"go":"It goes."}}}}');
  assertEquals(docsIn(old), "It goes.");
  const module = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...old];
  assertEquals(docsIn([1, ...leb(module.length), ...module]), "It goes.");
  const long = JSON.stringify("x".repeat(20_000));
  assertEquals(
    docsIn(docs(1, `{"worlds":{"w":{"func_exports":{"go":{"docs":${long}}}}}}`))
      ?.length,
    10_000,
  );
  for (
    const wrong of [
      docs(2, '{"worlds":{"w":{"func_exports":{"go":"It goes."}}}}'),
      docs(1, '{"worlds":{"w":{"func_exports":{"go":{"docs":[1]}}}}}'),
      docs(1, '{"worlds":{"__proto__":{"func_exports":[]},"w":null}}'),
      docs(1, '{"worlds":[["go"]]}'),
      docs(1, "{"),
      docs(1, "null"),
      custom("package-docs", []),
    ]
  ) assertEquals(docsIn(wrong), undefined);
});

Deno.test("decodeWit() says what bytes are that are not a component", () => {
  const wasm = [0, 0x61, 0x73, 0x6d];
  const bytes: [number[], RegExp][] = [
    [[], /^is empty$/],
    [[...new TextEncoder().encode("#!/bin/sh")], /^is not WebAssembly: /],
    [wasm, /^is truncated: it ends at byte 4$/],
    [[...wasm, 1, 0, 0, 0], /^is a core module, .*`wasm-tools component new`/],
    [[...wasm, 14, 0, 1, 0], /another version .* are 0e000100, not 0d000100$/],
  ];
  for (const [given, words] of bytes) {
    assertMessage(Uint8Array.from(given), words);
  }
});

function assertMessage(bytes: Uint8Array, message: RegExp): void {
  assertThrows(() => decodeWit(bytes), { name: "WitError", message });
}

Deno.test("decodeWit() refuses what a component cannot be", () => {
  const cases: [Uint8Array, RegExp][] = [
    [component([7, 100, 1]), /is truncated .* byte 11$/],
    [component([7, 1, 100]), /is truncated/],
    [component([7, 5, 0xff, 0xff, 0xff, 0xff, 0x1f]), /more than 32 bits/],
    [component([99, 0]), /a section 99/],
    [component(section(7, [0x6b, 7])), /no type 7/],
    [component(section(7, [0x6b, 0x50])), /the type 0x50/],
    [component(section(7, U32, [0x69, 0])), /type 0 for a resource/],
    [component(section(7, [0x60])), /the type 0x60/],
    [component(section(6, [3, 2, 1, 0])), /something outside it/],
    [component(section(5, [0, 0, 0])), /no component 0/],
    [component(section(8, [0x7f])), /the canonical function 0x7f/],
    [component([4, 8, ...new Array(8).fill(0)]), /without its first bytes/],
    [component(section(7, record(["a", U32], ["A", U32]))), /the name "A"/],
    [component(section(7, record(["__proto__", U32]))), /the name "__proto__"/],
    [component(section(7, record(["a".repeat(121), U32]))), /not valid/],
    [component(section(7, record(["a".repeat(2000), U32]))), /a name of 2000/],
    [component(section(7, [0x6d, 1, 1, 0xff])), /not UTF-8/],
    [withFunctions(["a b"], NOTHING), /the function "a b"/],
    [withFunctions(["go", "go"], NOTHING), /the export go twice/],
  ];
  for (const [bytes, words] of cases) assertMessage(bytes, words);
});

Deno.test("decodeWit() takes no component in components without an end", () => {
  const nest = (depth: number): number[] =>
    inner(...depth > 0 ? [nest(depth - 1)] : []);
  decodeWit(component(nest(30)));
  assertMessage(component(nest(31)), /in components, deeper than 32/);
  const types = new Array(100_000).fill([0x42, 1, 1]).flat();
  assertMessage(component(section(7, types)), /deeper than 32/);
});

Deno.test("decodeWit() leaves out functions whose types are too large, or too deep", () => {
  const withTypes = (types: number[][]) =>
    component(
      section(7, ...types, functionType([["x", leb(types.length - 1)]])),
      section(8, lifted(types.length)),
      section(11, exported("go", 1, 0)),
    );
  const twice = Array.from(
    { length: 60 },
    (_, at) =>
      at === 0
        ? record(["a", U32])
        : record(["a", leb(at - 1)], ["b", leb(at - 1)]),
  );
  const lists = Array.from({ length: 60 }, (_, at) => [
    0x70,
    ...(at === 0 ? U32 : leb(at - 1)),
  ]);
  const wide = [
    0x6d,
    ...vector(...Array.from({ length: 1001 }, (_, at) => text(`n${at}`))),
  ];
  const reasons = [twice, lists, [wide]].map((types) =>
    decodeWit(withTypes(types)).leftOut
  );
  const [large, deep] = [
    "its parameter x has a type of more than 1000 parts",
    "its parameter x has a type in types, deeper than 24",
  ];
  assertEquals(
    reasons,
    [large, deep, large].map((reason) => [
      { name: "go", reason },
    ]),
  );
});

Deno.test("decodeWit() leaves out functions with what no tool can have", () => {
  const types: [number[], string][] = [
    [[0x66, 1, ...U32], "a stream"],
    [[0x65, 0], "a future"],
    [[0x67, ...U32, 4], "a list of a fixed length"],
    [[0x63, ...STRING, ...U32], "a map"],
    [record(["a", [0x64]]), "an error-context"],
  ];
  for (const [type, words] of types) {
    const { functions, leftOut } = decodeWit(component(
      section(7, type, [0x70, 0], functionType([["x", [1]]])),
      section(8, lifted(2)),
      section(11, exported("go", 1, 0)),
    ));
    assertEquals(functions, []);
    assertEquals(leftOut[0]?.reason.endsWith(` has ${words}`), true);
  }
  const waits = withFunctions(["go"], [0x43, ...NOTHING.slice(1)]);
  assertEquals(decodeWit(waits).leftOut, [{
    name: "go",
    reason: "it is async",
  }]);
});

Deno.test("decodeWit() hides what tools leave behind, and bounds the rest", () => {
  const names = ["init", "cabi-x", "go"];
  assertEquals(
    decodeWit(withFunctions(names, NOTHING)).functions.map(({ name }) => name),
    ["cabi-x", "go"],
  );
  const many = Array.from({ length: 1001 }, (_, at) => `f${at}`);
  assertEquals(
    decodeWit(withFunctions(many.slice(1), NOTHING)).functions.length,
    1000,
  );
  assertMessage(withFunctions(many, NOTHING), /more than 1000 functions/);
  const wide = functionType(
    Array.from({ length: 400 }, (_, at) => [`p${at}`, U32]),
  );
  const { functions, leftOut } = decodeWit(
    withFunctions(many.slice(0, 100), wide),
  );
  assertEquals([functions.length, leftOut.length], [62, 38]);
  // Two functions of a tool's name: the second one cannot be called.
  const upper = withFunctions(["go-on", "go-ON"], NOTHING);
  assertEquals(decodeWit(upper).leftOut, [{
    name: "go-ON",
    reason: "another function has the name go_on as a tool, too",
  }]);
});

Deno.test("decodeWit() reads no more parts than it may", () => {
  const many = (count: number) =>
    component([
      7,
      ...leb(count + leb(count).length),
      ...leb(count),
      ...new Array(count).fill(0x7f),
    ]);
  decodeWit(many(400_000));
  assertMessage(many(600_000), /has more than 500000 parts/);
  // An instance with many exports, exported many times.
  const functions = Array.from({ length: 2000 }, (_, at) => `t${at}`);
  const bytes = component(
    section(7, U32),
    section(5, [
      1,
      ...vector(...functions.map((name) => exported(name, 3, 0).slice(0, -1))),
    ]),
    section(
      11,
      ...Array.from({ length: 2000 }, (_, at) => exported(`i${at}`, 5, 0)),
    ),
  );
  assertMessage(bytes, /has more than 500000 parts/);
});

Deno.test("refusedImports() names imports that no host of components has", async () => {
  const instance = (name: string, type: number) => [
    ...[0, ...text(name)],
    ...[5, type],
  ];
  const functions = [0x42, 2, 1, ...NOTHING, 4, 0, ...text("f"), 1, 0];
  const types = [0x42, 2, 1, ...record(["a", U32]), 4, ...declaredType("t", 0)];
  const wit = decodeWit(component(
    section(7, functions, types),
    section(
      10,
      instance("wasi:cli/stdout@0.2.9", 0),
      instance("wasi:config/store@0.2.0-draft", 0),
      instance("wasi:http/types@0.3.0", 0),
      instance("wasi:nn/tensor@0.2.0", 0),
      instance("wasi:cli/stdout@0.2.9.evil", 0),
      instance("host:api/exec", 0),
      instance("host:api/types", 1),
    ),
  ));
  assertEquals(wit.imports.includes("host:api/types"), false);
  assertEquals(refusedImports(wit), [
    "wasi:http/types@0.3.0",
    "wasi:nn/tensor@0.2.0",
    "wasi:cli/stdout@0.2.9.evil",
    "host:api/exec",
  ]);
  for (
    const name of ["rust", "javascript", "types", "wasi", "config"] as const
  ) {
    assertEquals(refusedImports(decodeWit(await readGuest(name))), []);
  }
});

/** A component without its core modules, so that each byte matters. */
async function readTypes(): Promise<Uint8Array> {
  const bytes = await readGuest("types");
  const kept = [...bytes.subarray(0, 8)];
  for (let at = 8; at < bytes.length;) {
    let [end, length] = [at + 1, 0];
    for (let shift = 0;; shift += 7) {
      const byte = bytes[end++]!;
      length += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    end += length;
    if (bytes[at] !== 1) kept.push(...bytes.subarray(at, end));
    at = end;
  }
  return Uint8Array.from(kept);
}

Deno.test("decodeWit() answers, or throws its own error, whatever the bytes are", async () => {
  const whole = await readTypes();
  decodeWit(whole);
  const tried = (bytes: Uint8Array) => {
    try {
      return decodeWit(bytes).functions.length <= 1000;
    } catch (error) {
      return error instanceof WitError;
    }
  };
  assertProperty(
    property(
      array(tuple(nat(whole.length - 1), nat(255)), { maxLength: 3 }),
      nat(whole.length),
      (flips, end) => {
        const bytes = whole.slice();
        for (const [at, byte] of flips) bytes[at] = byte;
        return tried(bytes) && tried(bytes.subarray(0, end));
      },
    ),
    { numRuns: 500 },
  );
});
