import { assert, assertEquals, assertThrows } from "../../../../deps/assert.ts";
import {
  array,
  assertProperty,
  constantFrom,
  integer,
  property,
  string,
  tuple,
} from "../../../../deps/fast_check.ts";
import { openLinks } from "./links.ts";

/** Names that begin alike, and some that sort in odd ways. */
const NAME = tuple(
  constantFrom("", "_", "Py", "PyLong", "$", "é", "\uffff", "🐍"),
  string({ minLength: 1, maxLength: 3 }),
).map((parts) => parts.join("").replace(/[\s]/g, "_"));
const PLACE = integer({ min: 0, max: 2 ** 31 - 1 });

type Kind = "f" | "d" | "s";
type Import = (() => string) & { stub?: boolean };

function toLines(symbols: Map<string, { kind: Kind; place: number }>): string {
  return [...symbols].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, { kind, place }]) => `${name} ${kind}${place}\n`).join("");
}

Deno.test("placeOf() finds each symbol of WebAssembly, and no other name", () => {
  const symbol = tuple(NAME, constantFrom("f", "d", "s"), PLACE);
  assertProperty(
    property(array(symbol), array(NAME), (rows, others) => {
      const symbols = new Map(
        rows.map(([name, kind, place]) => [name, { kind, place }]),
      );
      const lines = toLines(symbols);
      const links = openLinks({ symbols: lines, tableLength: 0, scripted: [] });
      for (const [name, { kind, place }] of symbols) {
        assertEquals(links.placeOf(name), kind === "s" ? undefined : place);
      }
      const near = [...symbols.keys()].flatMap((
        name,
      ) => [`${name}_`, `_${name}`, name.slice(1), name.slice(0, -1)]);
      const strangers = [
        ...others,
        ...near,
        "",
        " ",
        "\n",
        ...lines.split("\n"),
      ];
      for (const name of strangers) {
        if (symbols.has(name)) continue;
        assertEquals(links.placeOf(name), undefined, name);
      }
    }),
  );
});

/** Links of a table of two functions, of data, and of a function of JavaScript. */
function connected() {
  const symbols = new Map<string, { kind: Kind; place: number }>([
    ["first", { kind: "f", place: 0 }],
    ["own", { kind: "f", place: 1 }],
    ["data", { kind: "d", place: 4096 }],
    ["nothing", { kind: "d", place: 0 }],
    ["script", { kind: "s", place: 2 }],
  ]);
  const entries = [() => "first", () => "own"];
  const wasmTable = { get: (place: number) => entries[place] ?? null };
  const module: Record<string, unknown> & { wasmTable: typeof wasmTable } = {
    wasmTable,
  };
  const script = () => "script";
  const own = () => "JavaScript's own";
  const imports: Record<string, Import> = {
    ...{ script, own },
    first: Object.assign(() => "stub", { stub: true }),
    stranger: Object.assign(() => "stub", { stub: true }),
  };
  const offsets: Record<string, WebAssembly.Global> = {};
  const exported: Record<string, Import> = {
    own: () => "own",
    kept: () => "kept",
  };
  openLinks({ symbols: toLines(symbols), tableLength: 2, scripted: [] })
    .connect(module, imports, offsets, exported);
  return { module, imports, offsets, entries, script, own, exported };
}

Deno.test("connect() gives the module its functions and data when they are asked for", () => {
  const { module, entries } = connected();
  assertEquals([module._first, module._own], entries);
  assertEquals([module._data, module._nothing], [4096, 0]);
  const strangers = ["first", "_script", "_stranger", "__first", "_", ""];
  for (const name of strangers) {
    assertEquals([module[name], name in module], [undefined, false], name);
  }
  assert("_first" in module && "_nothing" in module);
  assertEquals(Object.keys(module), ["wasmTable"]);
});

Deno.test("connect() lets an import of JavaScript's own win over a symbol, and a stub lose", () => {
  const { imports, entries, script, own, exported } = connected();
  assertEquals([imports.own, imports.script], [own, script]);
  assertEquals(imports.first, entries[0]);
  assertEquals(imports.kept, exported.kept);
  assertEquals(imports.stranger?.stub, true);
  assertEquals([imports.data, imports.nothing], [{ value: 4096 }, {
    value: 0,
  }]);
  assertEquals([imports._first, "_first" in imports], [undefined, false]);
});

Deno.test("connect() makes an offset once, as a global that can be written", () => {
  const { offsets } = connected();
  assertEquals(Object.keys(offsets), []);
  const places = { first: 0, own: 1, data: 4096, nothing: 0, script: 2 };
  for (const [name, place] of Object.entries(places)) {
    const offset = offsets[name];
    assert(offset instanceof WebAssembly.Global, name);
    assertEquals(offset.value, place);
    offset.value = 7;
    assertEquals([offsets[name] === offset, offsets[name]?.value], [true, 7]);
  }
  assertEquals(Object.keys(offsets), Object.keys(places));
  assertEquals([offsets.stranger, "stranger" in offsets], [undefined, false]);
});

Deno.test("connect() takes no name of Object.prototype for a symbol", () => {
  const names = Object.getOwnPropertyNames(Object.prototype);
  const symbols = new Map(
    names.flatMap((name) => [name, `_${name}`]).map((
      name,
    ) => [name, { kind: "d" as const, place: 1 }]),
  );
  const heirs = [{ wasmTable: { get: () => null } }, {}, {}] as const;
  openLinks({ symbols: toLines(symbols), tableLength: 0, scripted: [] })
    .connect(...heirs, {});
  for (const heir of heirs) {
    for (const name of names) {
      if (name === "__proto__") continue;
      assertEquals(Reflect.get(heir, name), Reflect.get({}, name), name);
    }
    assertEquals(Reflect.get(heir, Symbol.iterator), undefined);
    assertEquals(`${heir}`, "[object Object]");
  }
});

Deno.test("connect() lets the heirs be written to, and not what they inherit", () => {
  const { module, imports, offsets } = connected();
  for (const heir of [module, imports, offsets]) {
    for (const name of ["_first", "first", "data", "new"]) {
      const value = {};
      assert(Reflect.set(heir, name, value));
      assertEquals(Reflect.get(heir, name), value);
      assert(Object.hasOwn(heir, name));
    }
    const inherited = Object(Object.getPrototypeOf(heir));
    assertThrows(() => inherited.first = 1, TypeError);
    assertThrows(() => Object.setPrototypeOf(inherited, {}), TypeError);
    assertThrows(
      () => Object.defineProperty(inherited, "first", { value: 1 }),
      TypeError,
    );
    assertEquals(Object.keys(inherited), []);
    assertEquals(Object.getPrototypeOf(inherited), Object.prototype);
  }
});
