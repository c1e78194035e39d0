/**
 * Baseline: writes and reads bytes, and restores Pyodide's own snapshot. Each line of
 * stdin is a number of bytes; the answer is the time that all of it took, in ms.
 *
 * Its argument is the file to write.
 *
 * @module
 */
import { loadPyodide } from "../../deps/pyodide.ts";
import { print } from "../../src/log.ts";
import { readLines } from "../../src/protocol/lines.ts";

const [path = ""] = Deno.args;
const made = await loadPyodide({ _makeSnapshot: true });
const snapshot: Uint8Array = made.makeMemorySnapshot();
print("ready\n");
for await (const line of readLines(Deno.stdin.readable, 1024)) {
  const bytes = new Uint8Array(Number(new TextDecoder().decode(line))).fill(1);
  const started = performance.now();
  await writeToDisk(bytes);
  const { length } = await Deno.readFile(path);
  const python = await loadPyodide({ _loadSnapshot: snapshot });
  const sum = python.runPython("1 + 1");
  const tookMs = performance.now() - started;
  if (sum !== 2 || length !== bytes.length) throw new Error("It is not right");
  print(`${tookMs}\n`);
}

async function writeToDisk(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  using file = await Deno.create(path);
  for (let at = 0; at < bytes.length;) {
    at += await file.write(bytes.subarray(at));
  }
  await file.sync();
}
