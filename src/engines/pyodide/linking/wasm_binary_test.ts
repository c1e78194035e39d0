import { Buffer } from "node:buffer";
import { join } from "node:path";
import { assert, assertEquals, assertThrows } from "../../../../deps/assert.ts";
import {
  array,
  assertProperty,
  integer,
  property,
  string,
} from "../../../../deps/fast_check.ts";
import { NPM_PYODIDE } from "../runtime.ts";
import { RUNTIME_FILES } from "../versions.ts";
import { concat } from "../../../protocol/lines.ts";
import {
  BinaryReader,
  constant,
  I32,
  i32,
  KIND,
  name,
  readSections,
  SECTION,
  u32,
  vector,
  writeSections,
} from "./wasm_binary.ts";

const U32 = integer({ min: 0, max: 2 ** 32 - 1 });
const I32_VALUE = integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const NAME = string({ unit: "binary" });

/** Reads all of the bytes. */
function readAll<Value>(
  bytes: ArrayLike<number>,
  read: (reader: BinaryReader) => Value,
): Value {
  const reader = new BinaryReader(Uint8Array.from(bytes));
  const value = read(reader);
  assertEquals(reader.at, bytes.length);
  return value;
}

/** A module that V8 takes, and that exports a number. */
const MODULE = writeSections(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0), [
  { id: SECTION.memory, body: vector([[0, 1]]) },
  { id: SECTION.global, body: vector([[I32, 0, ...constant(-123456)]]) },
  { id: SECTION.export, body: vector([[...name("n€"), KIND.global, 0]]) },
]);

Deno.test("u32(), i32(), name() and constant() write what a reader reads again", () => {
  assertProperty(property(U32, I32_VALUE, NAME, (whole, signed, text) => {
    assertEquals(readAll(u32(whole), (reader) => reader.u32()), whole);
    assertEquals(readAll(i32(signed), (reader) => reader.i32()), signed);
    assertEquals(readAll(name(text), (reader) => reader.name()), text);
    const expression = constant(signed);
    assertEquals(readAll(expression, (reader) => reader.constant()), signed);
  }));
});

Deno.test("u32(), i32() and name() write numbers and names of each length", () => {
  const powers = Array.from({ length: 32 }, (_, power) => 2 ** power);
  for (const whole of powers.flatMap((power) => [power - 1, power])) {
    assertEquals(readAll(u32(whole), (reader) => reader.u32()), whole);
    for (const signed of [whole | 0, -whole | 0, ~whole]) {
      assertEquals(readAll(i32(signed), (reader) => reader.i32()), signed);
    }
  }
  for (const text of ["", "\ufeffmark", "\0", "x".repeat(128), "🐍"]) {
    assertEquals(readAll(name(text), (reader) => reader.name()), text);
  }
});

Deno.test("vector() writes items that a reader reads again", () => {
  assertProperty(property(array(NAME), array(U32), (texts, numbers) => {
    const both = concat([vector(texts.map(name)), vector(numbers.map(u32))]);
    const read = readAll(both, (reader) => [
      reader.vector(() => reader.name()),
      reader.vector(() => reader.u32()),
    ]);
    assertEquals(read, [texts, numbers]);
  }));
});

Deno.test("BinaryReader reads each kind of constant, and knows the numbers of 32 bits", () => {
  const END = 0x0b;
  const others: [kind: string, expression: number[]][] = [
    ["i64.const", [0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]],
    ["f32.const", [0x43, END, END, END, END]],
    ["f64.const", [0x44, ...Array(8).fill(END)]],
    ["global.get", [0x23, ...u32(300)]],
    ["ref.func", [0xd2, ...u32(70_000)]],
    ["ref.null func", [0xd0, 0x70]],
    ["ref.null of a type", [0xd0, ...i32(300)]],
  ];
  for (const [kind, expression] of others) {
    const bytes = [...expression, END];
    const value = readAll(bytes, (reader) => reader.constant());
    assertEquals(value, undefined, kind);
    for (let length = 0; length < bytes.length; length++) {
      const cut = new BinaryReader(Uint8Array.from(bytes.slice(0, length)));
      assertThrows(() => cut.constant(), /cut short/);
    }
  }
  const sum = [0x41, 1, 0x41, 2, 0x6a, END];
  assertThrows(
    () => readAll(sum, (reader) => reader.constant()),
    /Cannot read the operation 106/,
  );
});

Deno.test("BinaryReader throws at the end of bytes, whatever it reads", () => {
  const readers: [bytes: number[], read: (reader: BinaryReader) => unknown][] =
    [
      [[], (reader) => reader.byte()],
      [[0x80, 0x80], (reader) => reader.u32()],
      [[0x80, 0x80], (reader) => reader.i32()],
      [[3, 65, 65], (reader) => reader.name()],
      [u32(2 ** 32 - 1), (reader) => reader.name()],
      [[1, 2, 3], (reader) => reader.take(4)],
      [u32(2 ** 32 - 1), (reader) => reader.vector(() => reader.byte())],
      [Array(1000).fill(0x80), (reader) => reader.u32()],
      [[...Array(1000).fill(0xff), 1], (reader) => reader.name()],
    ];
  for (const [bytes, read] of readers) {
    const reader = new BinaryReader(Uint8Array.from(bytes));
    assertThrows(() => read(reader), /The module is cut short/);
  }
});

Deno.test("readSections() refuses a module that is cut short", () => {
  const whole = readSections(MODULE);
  const ends = whole.map(({ body }) => body.byteOffset + body.length);
  for (let length = 0; length < MODULE.length; length++) {
    const cut = MODULE.slice(0, length);
    const sections = [8, ...ends].indexOf(length);
    if (sections < 0) {
      assertThrows(() => readSections(cut), /The module is cut short/);
    } else {
      // An end of a section is an end of a module, too.
      assertEquals(readSections(cut), whole.slice(0, sections));
    }
  }
});

Deno.test("readSections() never hangs, whatever bytes it reads", () => {
  assertProperty(property(array(integer({ min: 0, max: 255 })), (tail) => {
    const bytes = concat([MODULE.subarray(0, 8), tail]);
    try {
      readSections(bytes);
    } catch (error) {
      assert(error instanceof RangeError, `${error}`);
    }
  }));
});

Deno.test("writeSections() writes a module that V8 takes", () => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(MODULE));
  assertEquals(Object(exports["n€"]).value, -123456);
});

Deno.test("writeSections() writes the bytes of Pyodide again", async () => {
  const bytes = await Deno.readFile(
    join(NPM_PYODIDE.folder, RUNTIME_FILES.wasm),
  );
  const sections = readSections(bytes);
  assert(sections.length > 8, `${sections.length}`);
  const written = writeSections(bytes, sections);
  assertEquals(Buffer.compare(written, bytes), 0);
});
