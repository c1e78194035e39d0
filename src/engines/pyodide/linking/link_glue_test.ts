import { join } from "node:path";
import { assert, assertEquals, assertThrows } from "../../../../deps/assert.ts";
import {
  assertProperty,
  constantFrom,
  property,
} from "../../../../deps/fast_check.ts";
import { NPM_PYODIDE } from "../runtime.ts";
import { EMSCRIPTEN_FILES, RUNTIME_FILES } from "../versions.ts";
import { linkGlue } from "./link_glue.ts";

const read = (file: string) =>
  Deno.readTextFileSync(join(NPM_PYODIDE.folder, file));
const EMSCRIPTEN = read(EMSCRIPTEN_FILES[0]);
const LOADER = read(RUNTIME_FILES.loader);

/** Texts of Pyodide that are changed. */
const PATCHED = [
  "var Module=moduleArg;",
  'mergeLibSymbols(wasmExports,"main");',
  "updateGOT(origExports);",
  "updateTableMap(0,wasmTable.length)}",
  "newSymIndex=Object.keys(lib.exports).indexOf(symbol);",
  "async function _createPyodideModule(moduleArg={}){",
  "return moduleRtn}export default _createPyodideModule;",
];

/** A test of whether an error holds this text. */
const holds = (text: string) => (error: unknown) =>
  error instanceof Error && error.message.includes(text);

Deno.test("linkGlue() gives JavaScript that parses, and that exports both functions", async () => {
  const { glue } = linkGlue(EMSCRIPTEN, LOADER);
  const file = await Deno.makeTempFile({ suffix: ".mjs" });
  try {
    await Deno.writeTextFile(file, glue);
    const exported = await import(`file://${file}`);
    assertEquals(typeof exported.default, "function");
    assertEquals(typeof exported.loadPyodide, "function");
  } finally {
    await Deno.remove(file);
  }
  assert(glue.length < EMSCRIPTEN.length, `${glue.length}`);
  assert(!glue.includes("sourceMappingURL"));
});

Deno.test("linkGlue() leaves none of the texts that it changes", () => {
  const { glue } = linkGlue(EMSCRIPTEN, LOADER);
  const kept = ["var Module=moduleArg;", PATCHED[4]];
  for (const text of PATCHED) {
    assertEquals(glue.split(text).length, kept.includes(text) ? 2 : 1, text);
  }
});

Deno.test("linkGlue() refuses a text that lacks a known part or has it twice, and names it", () => {
  const changes = constantFrom("", "twice", "other");
  const parts = constantFrom(...PATCHED);
  assertProperty(
    property(parts, changes, (part, change) => {
      const by = { "": "", twice: part + part, other: ` ${part.slice(1)}` };
      const doctored = EMSCRIPTEN.replace(part, () => by[change]);
      const message = `"${part}" does not stand once in its JavaScript`;
      assertThrows(() => linkGlue(doctored, LOADER), holds(message));
    }),
    { numRuns: 12 },
  );
});

Deno.test("linkGlue() refuses a list of exports that it cannot read", () => {
  const start = "function assignWasmExports(wasmExports){";
  for (const part of [start, "}var wasmImports"]) {
    const without = EMSCRIPTEN.replaceAll(part, "");
    assertThrows(
      () => linkGlue(without, LOADER),
      holds(`Cannot find "${start}"`),
    );
  }
  const statements = ["call()", "a=b", '_x=wasmExports["x"]()', start + start];
  for (const statement of statements) {
    const more = EMSCRIPTEN.replace(start, () => `${start}${statement};`);
    const message = `Cannot read the export "${statement}`;
    assertThrows(() => linkGlue(more, LOADER), holds(message));
  }
});

Deno.test("linkGlue() keeps each export that the text reads, and few others", () => {
  const { glue, kept } = linkGlue(EMSCRIPTEN, LOADER);
  const reads = /wasmExports(?:\?\.)?(?:\[["'`]|\.)([\w$]+)/g;
  const names = new Set([...glue.matchAll(reads)].map(([, name]) => name));
  assert(names.size > 100, `${names.size}`);
  assertEquals([...names].filter((name) => !kept.has(`${name}`)), []);
  const others = [...kept].filter((name) => !names.has(name));
  assertEquals(others.sort(), ["__c_longjmp", "__stack_pointer"]);

  const exported = [...EMSCRIPTEN.matchAll(/=wasmExports\["([\w$]+)"\]/g)]
    .map(([, name = ""]) => name);
  const [first = "", second = ""] = exported.filter((name) => !kept.has(name));
  const more = `var more=wasmExports["${first}"]+wasmExports.${second};`;
  const doctored = EMSCRIPTEN.replace("var isInternalSym=", `${more}$&`);
  const { kept: keptMore } = linkGlue(doctored, LOADER);
  assertEquals(
    [...keptMore].filter((name) => !kept.has(name)).sort(),
    [
      first,
      second,
    ].sort(),
  );
});

Deno.test("linkGlue() declares each variable that it assigns an export to", () => {
  const { glue } = linkGlue(EMSCRIPTEN, LOADER);
  const [, body = ""] =
    /function assignWasmExports\(wasmExports\)\{([^}]*)\}/.exec(glue) ?? [];
  const before = glue.slice(0, glue.indexOf("function assignWasmExports("));
  const declared: string[] = before.slice(before.lastIndexOf("var "))
    .match(/[\w$]+/g) ?? [];
  const assigned = body.match(/(?<=^|[;=])[\w$]+(?==)/g) ?? [];
  assert(assigned.length > 100, `${assigned.length}`);
  assertEquals(assigned.filter((name) => !declared.includes(name)), []);
});
