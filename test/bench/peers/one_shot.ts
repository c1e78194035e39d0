/**
 * Stands for the script that `langchain-sandbox` runs for each call, which is on
 * JSR: it loads Pyodide, runs the code, prints the value as JSON, and ends.
 *
 * @module
 */
import { loadPyodide } from "../../../deps/pyodide.ts";
import { print } from "../../../src/log.ts";

const [code = ""] = Deno.args;
const python = await loadPyodide();
const result = await python.runPythonAsync(code);
print(`${JSON.stringify({ success: true, result })}\n`);
