/**
 * Baseline: Python without anything of ours. It loads Pyodide as its manual
 * says, runs one line, then each program that comes as a line of JSON, until its
 * stdin ends.
 *
 * Its arguments are paths of wheels to unpack, a module to import, and the
 * `pyodide.mjs` of another Pyodide.
 *
 * @module
 */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import * as npm from "../../deps/pyodide.ts";
import { print } from "../../src/log.ts";
import { readLines } from "../../src/protocol/lines.ts";

const LONGEST_LINE = 1 << 20;

const isFile = (arg: string) => /\.(whl|mjs)$/.test(arg);
const paths = Deno.args.filter((arg) => arg.endsWith(".whl"));
const loader = Deno.args.find((arg) => arg.endsWith(".mjs"));
const modules = Deno.args.filter((arg) => !isFile(arg));
const { loadPyodide } = loader === undefined ? npm : await importOther(loader);
const python = await loadPyodide();
for (const path of paths) {
  const bytes = await Deno.readFile(path);
  Reflect.get(python, "unpackArchive")(bytes, "wheel");
}
for (const module of modules) python.pyimport(module);
print(`${python.runPython("1 + 1")}\n`);
for await (const line of readLines(Deno.stdin.readable, LONGEST_LINE)) {
  const code = JSON.parse(new TextDecoder().decode(line));
  print(`${JSON.stringify(python.runPython(code))}\n`);
}

/** Imports a Pyodide of up to 0.29, whose Emscripten module is a script for Node. */
async function importOther(path: string): Promise<typeof npm> {
  const folder = dirname(path);
  const script = await Deno.readTextFile(join(folder, "pyodide.asm.js"));
  Object.assign(globalThis, {
    require: createRequire(path),
    __dirname: folder,
  });
  (0, eval)(script);
  return await import(pathToFileURL(path).href);
}
