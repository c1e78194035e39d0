/**
 * The library for TypeScript as a bench's client: it reads a number a line, and
 * answers with the milliseconds of a call.
 *
 * Its argument is the cache.
 *
 * @module
 */
import { assertEquals } from "../../deps/assert.ts";
import { createSandbox } from "../../src/library/sandbox.ts";
import { print } from "../../src/log.ts";
import { readLines } from "../../src/protocol/lines.ts";

const LONGEST_LINE = 1 << 20;
const [cacheDir = ""] = Deno.args;

await using sandbox = await createSandbox({ cacheDir });
print("ready\n");
for await (const line of readLines(Deno.stdin.readable, LONGEST_LINE)) {
  const n = Number(new TextDecoder().decode(line));
  const started = performance.now();
  const { value } = await sandbox.run("n + 1", { globals: { n } });
  const wallMs = performance.now() - started;
  assertEquals(value, n + 1);
  print(`${wallMs}\n`);
}
