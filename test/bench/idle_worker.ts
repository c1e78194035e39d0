/**
 * Baseline: Deno with a worker that does nothing. It stays until its stdin ends,
 * to be measured.
 *
 * @module
 */
import { print } from "../../src/log.ts";

const worker = new Worker(new URL("./echo_worker.ts", import.meta.url), {
  type: "module",
});
worker.onmessage = ({ data }) => print(`${data}\n`);
worker.postMessage(2);
await Deno.stdin.readable.pipeTo(new WritableStream());
worker.terminate();
