import { Buffer } from "node:buffer";
import { join as joinPath } from "node:path";
import { assert, assertEquals, assertThrows } from "../../../../deps/assert.ts";
import {
  type Arbitrary,
  array,
  assertProperty,
  integer,
  property,
  tuple,
} from "../../../../deps/fast_check.ts";
import { baseFolder, ensurePython } from "../../../../test/support/cache.ts";
import { CACHE } from "../../../../test/support/command.ts";
import { NPM_PYODIDE } from "../runtime.ts";
import { readLinks } from "../stored_files.ts";
import {
  EMSCRIPTEN_FILES,
  ENVIRONMENT_FILES,
  RUNTIME_FILES,
} from "../versions.ts";
import { link } from "./link.ts";
import { linkGlue } from "./link_glue.ts";
import { type Layout, linkWasm } from "./link_wasm.ts";
import {
  constant,
  I32,
  i32,
  KIND,
  name,
  SECTION,
  u32,
  vector,
  writeSections,
} from "./wasm_binary.ts";

const { function: FUNCTION, memory: MEMORY, global: GLOBAL } = KIND;
const TABLE = 1;
const FUNCREF = 0x70;
const TABLE_NAME = "__indirect_function_table";

/** Functions of JavaScript that a small module may import, or ask the place of. */
const shared = () => 502;
const JAVASCRIPT: Functions = {
  ...{ js0: () => 500, js1: () => 501, js2: shared, js3: shared },
};

/** What a small main module is made of; numbers choose from what there is. */
interface Parts {
  /** Functions of JavaScript that it imports. */
  imported: number;
  /** Functions that each return a number of their own. */
  functions: number;
  /** Values of exported constants. */
  data: number[];
  /** First index of the table that has an entry. */
  start: number;
  /** Functions in the element segment. */
  elements: number[];
  /** Functions that are exported. */
  exported: number[];
  /** Symbols whose place it imports. */
  offsets: number[];
  /** Exports to keep. */
  kept: number[];
}

const few = (max: number) => integer({ min: 0, max });
const choices = array(few(1000), { maxLength: 12 });
const PARTS: Arbitrary<Parts> = tuple(
  tuple(few(3), integer({ min: 1, max: 8 }), few(3)),
  array(integer(), { maxLength: 4 }),
  tuple(choices, choices, choices, choices),
).map(([[imported, functions, start], data, lists]) => {
  const [elements, exported, offsets, kept] = lists;
  return {
    ...{ imported, functions, start, data },
    ...{ elements, exported, offsets, kept },
  };
});

interface SmallModule {
  sections: Record<number, Uint8Array>;
  kept: Set<string>;
}

function toModule(parts: Parts): SmallModule {
  const choose = <Item>(items: Item[], numbers: number[]): Item[] =>
    items.length === 0
      ? []
      : numbers.flatMap((n) => items[n % items.length] ?? []);
  const scripted = Object.keys(JAVASCRIPT);
  const imported = scripted.slice(0, parts.imported);
  const indexes = Array.from(
    { length: imported.length + parts.functions },
    (_, index) => index,
  );
  const exported = choose(indexes, parts.exported);
  const symbols = [
    ...exported.map((index, n) => ({ name: `f${n}`, kind: FUNCTION, index })),
    ...parts.data.map((_, n) => ({ name: `d${n}`, kind: GLOBAL, index: n })),
  ];
  const askable = [...symbols.map(({ name }) => name), ...scripted, "missing"];
  const offsets = choose(askable, parts.offsets);
  // Each reads a global: places first, then the stack pointer and data.
  const globals = offsets.length + 1 + parts.data.length;
  const firstReader = indexes.length;
  const readers = Array.from({ length: globals }, (_, index) => ({
    name: `read${index}`,
    kind: FUNCTION,
    index: firstReader + index,
  }));
  const exports = [
    { name: "memory", kind: MEMORY, index: 0 },
    { name: "__wasm_call_ctors", kind: FUNCTION, index: firstReader - 1 },
    ...symbols.map((one) =>
      one.kind === GLOBAL
        ? { ...one, index: offsets.length + 1 + one.index }
        : one
    ),
    { name: "__stack_pointer", kind: GLOBAL, index: offsets.length },
    { name: "__em_js__text", kind: FUNCTION, index: firstReader },
    ...readers,
    { name: TABLE_NAME, kind: TABLE, index: 0 },
  ];
  const elements = choose(indexes, parts.elements);
  const own = indexes.slice(imported.length);
  const code = [
    ...own.map((index) => [0x41, ...i32(100 + index), 0x0b]),
    ...readers.map((_, index) => [0x23, ...u32(index), 0x0b]),
  ];
  const sections = {
    1: vector([[0x60, 0, 1, I32]]),
    [SECTION.import]: vector([
      ...imported.map((one) => [...name("env"), ...name(one), FUNCTION, 0]),
      ...offsets.map((symbol, n) => [
        ...name(n % 2 ? "GOT.mem" : "GOT.func"),
        ...[...name(symbol), GLOBAL, I32, 1],
      ]),
    ]),
    3: vector(code.map(() => [0])),
    [SECTION.table]: vector([
      [FUNCREF, 0, ...u32(parts.start + elements.length)],
    ]),
    [SECTION.memory]: vector([[0, 1]]),
    [SECTION.global]: vector([
      [I32, 1, ...constant(65_536)],
      ...parts.data.map((value) => [I32, 0, ...constant(value)]),
    ]),
    [SECTION.export]: vector(
      exports.map((one) => [...name(one.name), one.kind, ...u32(one.index)]),
    ),
    [SECTION.element]: vector([
      [0, ...constant(parts.start), ...vector(elements.map(u32))],
    ]),
    10: vector(code.map((body) => [...u32(body.length + 1), 0, ...body])),
    [SECTION.data]: vector([
      [0, ...constant(8), ...vector([[1], [2], [3]])],
    ]),
  };
  const kept = new Set([
    ...[TABLE_NAME, "memory", ...readers.map(({ name }) => name)],
    ...choose(exports.map(({ name }) => name), parts.kept),
  ]);
  return { sections, kept };
}

function toBytes(
  sections: Record<number, Uint8Array | undefined>,
): Uint8Array<ArrayBuffer> {
  const present = Object.entries(sections)
    .flatMap(([id, body]) => body ? [{ id: Number(id), body }] : []);
  return writeSections(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0), present);
}

type Functions = Record<string, () => unknown>;

/** A function of WebAssembly that calls one of JavaScript. */
function toWasmFunction(scripted: () => unknown): () => unknown {
  const bytes = toBytes({
    1: vector([[0x60, 0, 1, I32]]),
    [SECTION.import]: vector([[...name("e"), ...name("f"), FUNCTION, 0]]),
    [SECTION.export]: vector([[...name("f"), FUNCTION, 0]]),
  });
  const { exports } = new WebAssembly.Instance(
    new WebAssembly.Module(bytes),
    { e: { f: scripted } },
  );
  return Object(exports.f);
}

const tableOf = (instance: WebAssembly.Instance): WebAssembly.Table =>
  Object(instance.exports[TABLE_NAME]);

/** Starts a module, and links it as Emscripten's JavaScript does. */
function startUnlinked(bytes: Uint8Array<ArrayBuffer>, scripted: Functions) {
  const offsets: Record<string, WebAssembly.Global> = {};
  const makeOffset = (symbol: string) =>
    offsets[symbol] ??= new WebAssembly.Global(
      { value: "i32", mutable: true },
      -1,
    );
  const module = new WebAssembly.Module(bytes);
  const imports: WebAssembly.Imports = {};
  for (const one of WebAssembly.Module.imports(module)) {
    const from = imports[one.module] ??= {};
    from[one.name] = one.module.startsWith("GOT.")
      ? makeOffset(one.name)
      : scripted[one.name] ?? (() => 0);
  }
  const instance = new WebAssembly.Instance(module, imports);
  const table = tableOf(instance);
  const places = new Map<unknown, number>();
  for (let at = 0; at < table.length; at++) {
    if (table.get(at)) places.set(table.get(at), at);
  }
  const addFunction = (value: () => unknown, entry = value): number => {
    const place = places.get(value) ?? table.grow(1);
    if (!places.has(value)) table.set(place, entry);
    places.set(value, place);
    return place;
  };
  // updateGOT()
  for (const [symbol, value] of Object.entries(instance.exports)) {
    if (isInternal(symbol)) continue;
    if (typeof value === "function") {
      makeOffset(symbol).value = addFunction(Object(value));
    } else if (value instanceof WebAssembly.Global) {
      makeOffset(symbol).value = value.value;
    }
  }
  // reportUndefinedSymbols()
  for (const [symbol, offset] of Object.entries(offsets)) {
    if (offset.value !== -1 || symbol in instance.exports) continue;
    const value = scripted[symbol];
    offset.value = value ? addFunction(value, toWasmFunction(value)) : 0;
  }
  const layout: Layout = Object.fromEntries(
    Object.entries(offsets).map(([symbol, { value }]) => [symbol, value]),
  );
  return { instance, table, layout };
}

/** Starts a linked module, and sets what its code has for JavaScript's functions. */
function startLinked(
  { wasm, scripted: places }: ReturnType<typeof linkWasm>,
  scripted: Functions,
) {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(wasm), {
    env: scripted,
    wasi_snapshot_preview1: scripted,
  });
  const table = tableOf(instance);
  for (const place of places.values()) {
    assertEquals(table.get(place), null);
  }
  for (const [symbol, place] of places) {
    const value = scripted[symbol];
    if (value) table.set(place, toWasmFunction(value));
  }
  return { instance, table };
}

const INTERNAL = [
  ...["memory", "__stack_pointer", TABLE_NAME, "__wasm_call_ctors"],
  ...["__cpp_exception", "__c_longjmp"],
];
const isInternal = (symbol: string) =>
  INTERNAL.includes(symbol) || symbol.startsWith("__em_js__");

/** What each entry of a table returns. */
function entriesOf(table: WebAssembly.Table): unknown[] {
  return Array.from({ length: table.length }, (_, at) => table.get(at)?.());
}

/** The numbers that a module's readers of globals return. */
function globalsOf({ exports }: WebAssembly.Instance): unknown[] {
  return Object.entries(exports)
    .filter(([symbol]) => symbol.startsWith("read"))
    .map(([, read]) => Object(read)());
}

Deno.test("linkWasm() makes what Emscripten's linking makes of the module", () => {
  assertProperty(property(PARTS, (parts) => {
    const { sections, kept } = toModule(parts);
    const bytes = toBytes(sections);
    const real = startUnlinked(bytes, JAVASCRIPT);
    const linked = linkWasm(bytes, real.layout, kept);
    const { instance, table } = startLinked(linked, JAVASCRIPT);
    assertEquals(linked.tableLength, real.table.length);
    assertEquals(entriesOf(table), entriesOf(real.table));
    assertEquals(globalsOf(instance), globalsOf(real.instance));
    const exported = Object.keys(real.instance.exports);
    assertEquals(
      Object.keys(instance.exports),
      exported.filter((symbol) => kept.has(symbol)),
    );
    const places = { ...Object.fromEntries(linked.functions) };
    Object.assign(places, Object.fromEntries(linked.data));
    assertEquals(
      Object.keys(places).sort(),
      exported.filter((symbol) => !isInternal(symbol)).sort(),
    );
    for (
      const [symbol, place] of [...Object.entries(places), ...linked.scripted]
    ) {
      assertEquals(place, real.layout[symbol], symbol);
    }
    for (const [symbol, place] of linked.functions) {
      const { [symbol]: called } = real.instance.exports;
      assertEquals(table.get(place)?.(), Object(called)(), symbol);
    }
    assertEquals(memoryOf(instance), memoryOf(real.instance));
  }));
});

/** The first bytes of a module's memory. */
function memoryOf({ exports }: WebAssembly.Instance): Uint8Array {
  return new Uint8Array(Object(exports.memory).buffer).slice(0, 32);
}

Deno.test("linkWasm() refuses a layout that differs in the place of any symbol", () => {
  assertProperty(property(PARTS, few(1000), (parts, chosen) => {
    const { sections, kept } = toModule(parts);
    const bytes = toBytes(sections);
    const { instance, layout } = startUnlinked(bytes, JAVASCRIPT);
    const symbols = Object.keys(instance.exports)
      .filter((symbol) => !isInternal(symbol));
    const symbol = symbols[chosen % symbols.length] ?? "";
    const { [symbol]: place = 0, ...others } = layout;
    for (const other of [place + 1, place - 1]) {
      assertThrows(
        () => linkWasm(bytes, { ...others, [symbol]: other }, kept),
        new RegExp(
          `^Error: ${symbol} is at ${other}, and would be at ${place}$`,
        ),
      );
    }
    assertThrows(
      () => linkWasm(bytes, others, kept),
      new RegExp(`^Error: A start gives no place to ${symbol}$`),
    );
  }));
});

Deno.test("linkWasm() refuses a module of a shape that it does not know, and says why", () => {
  const { sections, kept } = toModule({
    ...{ imported: 1, functions: 3, data: [40], start: 1 },
    ...{ elements: [1, 2], exported: [2, 3], offsets: [0], kept: [] },
  });
  const { layout, table: whole } = startUnlinked(
    toBytes(sections),
    JAVASCRIPT,
  );
  const segment = [0, ...constant(1), ...vector([[1], [2]])];
  const { table, element, global, data } = SECTION;
  const imports = (...one: number[]) =>
    vector([[...name("env"), ...name("odd"), ...one]]);
  const exports = (...one: number[]) => vector([[...name("odd"), ...one]]);
  const odd: [id: number, body: Uint8Array | undefined, message: RegExp][] = [
    ...[SECTION.import, table, global, SECTION.export, element]
      .map((id): [number, undefined, RegExp] => [
        ...[id, undefined] as const,
        new RegExp(`There is not one section ${id}$`),
      ]),
    [element, vector([segment, segment]), /not one active segment of elements/],
    [element, vector([[1, 0, 1, 1]]), /not one active segment of elements/],
    [
      element,
      vector([[0, 0x23, 0, 0x0b, ...vector([[1], [2]])]]),
      /segment of elements does not fill the table/,
    ],
    [table, vector([[FUNCREF, 1, 3, 9]]), /table has an upper limit/],
    [table, vector([[FUNCREF, 0, 4]]), /does not fill the table/],
    [
      SECTION.import,
      imports(GLOBAL, I32, 1),
      /env\.odd is imported, of kind 3/,
    ],
    [SECTION.import, imports(MEMORY, 0, 1), /env\.odd is imported, of kind 2/],
    [SECTION.import, imports(TABLE, FUNCREF, 0, 1), /env\.odd is .* kind 1/],
    [SECTION.export, exports(TABLE, 0), /odd is exported, of kind 1/],
    [
      global,
      vector([[I32, 0, 0x41, 1, 0x41, 2, 0x6a, 0x0b]]),
      /Cannot read the operation 106/,
    ],
    [
      global,
      vector([[I32, 1, ...constant(0)], [0x7e, 0, 0x42, 0, 0x0b]]),
      /d0 is exported, of kind 3/,
    ],
  ];
  for (const [id, body, message] of odd) {
    const bytes = toBytes({ ...sections, [id]: body });
    assertThrows(() => linkWasm(bytes, layout, kept), message);
  }
  const same = toBytes({ ...sections, [data]: undefined });
  assertEquals(linkWasm(same, layout, kept).tableLength, whole.length);
});

Deno.test("linkWasm() gives Pyodide's symbols the places that a real start gave them", async () => {
  const read = (file: string) =>
    Deno.readFile(joinPath(NPM_PYODIDE.folder, file));
  const text = async (file: string) =>
    new TextDecoder().decode(await read(file));
  const bytes = await read(RUNTIME_FILES.wasm);
  const emscripten = await text(EMSCRIPTEN_FILES[0]);
  const loader = await text(RUNTIME_FILES.loader);
  const { kept } = linkGlue(emscripten, loader);
  const module = new WebAssembly.Module(bytes);
  await ensurePython();
  const base = baseFolder(CACHE);
  const start = await readLinks(base);
  assert(!("reason" in start), JSON.stringify(start));
  // Some functions of JavaScript have several names, and a single place.
  const functions: Record<string, () => number> = {};
  const scripted = Object.fromEntries(
    [...start.symbols.matchAll(/^(\S+) s(\d+)$/gm)]
      .map(([, symbol = "", at = ""]) => [symbol, functions[at] ??= () => 0]),
  );
  for (const { name } of WebAssembly.Module.imports(module)) {
    scripted[name] ??= () => 0;
  }
  const real = startUnlinked(bytes, scripted);
  const linked = linkWasm(bytes, real.layout, kept);
  const { instance, table } = startLinked(linked, scripted);

  const exported = WebAssembly.Module.exports(module).map(({ name }) => name);
  const strangers = exported.filter((symbol) =>
    !linked.functions.has(symbol) && !linked.data.has(symbol)
  );
  assertEquals(strangers.sort(), [...INTERNAL].sort());
  assertEquals(
    Object.keys(instance.exports).sort(),
    exported.filter((symbol) => kept.has(symbol)).sort(),
  );
  assertEquals([...kept].sort(), Object.keys(instance.exports).sort());
  // V8 names an exported function by its index.
  const namesOf = (table: WebAssembly.Table) =>
    Array.from({ length: linked.tableLength }, (_, at) => table.get(at)?.name);
  assertEquals(namesOf(table), namesOf(real.table));
  assert(linked.wasm.length < bytes.length, `${linked.wasm.length}`);
  assertEquals(exported.filter((symbol) => symbol in Object.prototype), []);

  const { wasm, glue, links } = link(
    { wasm: bytes, emscripten, loader },
    real.layout,
  );
  assertEquals(start, links);
  const stored = (file: string) => Deno.readFile(joinPath(base, file));
  const { linkedWasm, linkedGlue } = ENVIRONMENT_FILES;
  assertEquals(Buffer.compare(await stored(linkedWasm), wasm), 0);
  assertEquals(new TextDecoder().decode(await stored(linkedGlue)), glue);
});
