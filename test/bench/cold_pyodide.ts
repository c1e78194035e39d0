/**
 * Baseline: Python without anything of ours. It loads Pyodide as its manual
 * says, runs one line, and stays until its stdin ends, to be measured.
 *
 * Its arguments are paths of wheels to unpack, and a module to import.
 *
 * @module
 */
import { loadPyodide } from "../../deps/pyodide.ts";
import { print } from "../../src/log.ts";

const paths = Deno.args.filter((arg) => arg.endsWith(".whl"));
const modules = Deno.args.filter((arg) => !paths.includes(arg));
const python = await loadPyodide();
for (const path of paths) {
  const bytes = await Deno.readFile(path);
  Reflect.get(python, "unpackArchive")(bytes, "wheel");
}
for (const module of modules) python.pyimport(module);
print(`${python.runPython("1 + 1")}\n`);
await Deno.stdin.readable.pipeTo(new WritableStream());
