/**
 * Baseline: Python without anything of ours. It loads Pyodide as its manual
 * says, runs one line, and stays until its stdin ends, to be measured.
 *
 * @module
 */
import { loadPyodide } from "../../deps/pyodide.ts";
import { print } from "../../src/log.ts";

const python = await loadPyodide();
print(`${python.runPython("1 + 1")}\n`);
await Deno.stdin.readable.pipeTo(new WritableStream());
