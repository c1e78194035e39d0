import { concat } from "../../../protocol/lines.ts";
import {
  BinaryReader,
  constant,
  I32,
  KIND,
  name,
  readSections,
  SECTION,
  type Section,
  u32,
  vector,
  writeSections,
} from "./wasm_binary.ts";

/**
 * The global offset table of a real start: place of a function in the table, or
 * of data in the memory, by symbol.
 */
export type Layout = Record<string, number>;

export interface LinkedWasm {
  wasm: Uint8Array<ArrayBuffer>;
  /** Places of the exported functions in the table. */
  functions: Map<string, number>;
  /** Places of the exported data in the memory. */
  data: Map<string, number>;
  /** Places that the code has for functions of JavaScript. */
  scripted: Map<string, number>;
  /** Entries of the table. */
  tableLength: number;
}

/** Exports that are not symbols: Emscripten's `isInternalSym()`. */
const INTERNAL = new Set(
  `memory __memory_base __table_base __stack_pointer __indirect_function_table
  __cpp_exception __c_longjmp __wasm_apply_data_relocs __dso_handle __tls_size
  __tls_align __set_stack_limits _emscripten_tls_init __wasm_init_tls
  __wasm_call_ctors __start_em_asm __stop_em_asm __start_em_js __stop_em_js`
    .split(/\s+/),
);

/**
 * Does Emscripten's dynamic linking of the main module once, in its bytes: the
 * element segment fills the whole table, the imports from the global offset table
 * are constants, and few functions are exported. The code stays as it is.
 *
 * @param layout Of a start of the same bytes: places must be equal.
 * @param kept Names of the exports to keep.
 * @throws {Error} If the module is not as this function knows it.
 */
export function linkWasm(
  bytes: Uint8Array,
  layout: Layout,
  kept: ReadonlySet<string>,
): LinkedWasm {
  const sections = readSections(bytes);
  const reader = (id: number) => new BinaryReader(only(sections, id).body);
  const { imports, offsets } = readImports(reader(SECTION.import));
  const globals = readGlobals(reader(SECTION.global), offsets.length);
  const exports = readExports(reader(SECTION.export));
  const table = readTable(reader(SECTION.table), reader(SECTION.element));

  const functions = new Map<string, number>();
  const data = new Map<string, number>();
  const places = new Map(table.entries.map((index, at) => [index, at]));
  for (const one of exports) {
    if (INTERNAL.has(one.name) || one.name.startsWith("__em_js__")) continue;
    const value = globals.values[one.index];
    if (one.kind === KIND.function) {
      let at = places.get(one.index);
      if (at === undefined) {
        at = table.entries.push(one.index) - 1;
        places.set(one.index, at);
      }
      functions.set(one.name, table.start + at);
    } else if (one.kind === KIND.global && value !== undefined) {
      data.set(one.name, value);
    } else {
      throw new Error(`${one.name} is exported, of kind ${one.kind}`);
    }
  }
  const filled = table.start + table.entries.length;
  const scripted = new Map<string, number>();
  const offsetValues = offsets.map((symbol) => {
    const place = functions.get(symbol) ?? data.get(symbol);
    if (place !== undefined) return place;
    const real = placeOf(layout, symbol);
    if (real >= filled) scripted.set(symbol, real);
    return real;
  });
  for (const [symbol, place] of [...functions, ...data]) {
    if (placeOf(layout, symbol) === place) continue;
    throw new Error(
      `${symbol} is at ${layout[symbol]}, and would be at ${place}`,
    );
  }
  const tableLength = Math.max(
    filled,
    ...scripted.values().map((at) => at + 1),
  );
  const changed: Record<number, Uint8Array> = {
    [SECTION.import]: vector(imports),
    [SECTION.table]: table.write(tableLength),
    [SECTION.global]: concat([
      u32(offsets.length + globals.count),
      ...offsetValues.map((value) => [I32, 1, ...constant(value)]),
      globals.rest,
    ]),
    [SECTION.export]: vector(
      exports.filter((one) => kept.has(one.name))
        .map((one) => [...name(one.name), one.kind, ...u32(one.index)]),
    ),
    [SECTION.element]: vector([
      concat([[0], constant(table.start), vector(table.entries.map(u32))]),
    ]),
  };
  const wasm = writeSections(
    bytes,
    sections.map(({ id, body }) => ({ id, body: changed[id] ?? body })),
  );
  return { wasm, functions, data, scripted, tableLength };
}

function only(sections: Section[], id: number): Section {
  const [section, more] = sections.filter((one) => one.id === id);
  if (section && !more) return section;
  throw new Error(`There is not one section ${id}`);
}

function placeOf(layout: Layout, symbol: string): number {
  const place = layout[symbol];
  if (place !== undefined) return place;
  throw new Error(`A start gives no place to ${symbol}`);
}

/** Imports as they stand, and the symbols whose place is imported. */
function readImports(reader: BinaryReader) {
  const imports: Uint8Array[] = [];
  const offsets: string[] = [];
  for (let left = reader.u32(); left > 0; left--) {
    const start = reader.at;
    const module = reader.name();
    const symbol = reader.name();
    const kind = reader.byte();
    if (kind === KIND.function) {
      reader.u32();
      imports.push(reader.bytes.subarray(start, reader.at));
    } else if (kind === KIND.global && module.startsWith("GOT.")) {
      reader.take(2);
      offsets.push(symbol);
    } else {
      throw new Error(`${module}.${symbol} is imported, of kind ${kind}`);
    }
  }
  return { imports, offsets };
}

/** @param imported Number of globals that are imported, and come first. */
function readGlobals(reader: BinaryReader, imported: number) {
  const count = reader.u32();
  const rest = reader.rest();
  const values: (number | undefined)[] = Array(imported).fill(undefined);
  for (let left = count; left > 0; left--) {
    reader.take(2);
    values.push(reader.constant());
  }
  return { count, rest, values };
}

function readExports(reader: BinaryReader) {
  return reader.vector(() => ({
    name: reader.name(),
    kind: reader.byte(),
    index: reader.u32(),
  }));
}

/** The first table, which a single segment fills up to its end. */
function readTable(tables: BinaryReader, elements: BinaryReader) {
  const count = tables.u32();
  const type = tables.byte();
  if (tables.byte() !== 0) throw new Error("The table has an upper limit");
  const least = tables.u32();
  const others = tables.rest();
  if (elements.u32() !== 1 || elements.u32() !== 0) {
    throw new Error("There is not one active segment of elements");
  }
  const start = elements.constant();
  const entries = elements.vector(() => elements.u32());
  if (start === undefined || start + entries.length !== least) {
    throw new Error("The segment of elements does not fill the table");
  }
  const write = (length: number) =>
    concat([u32(count), [type, 0], u32(length), others]);
  return { start, entries, write };
}
