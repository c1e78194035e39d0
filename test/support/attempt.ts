import { assertEquals } from "../../deps/assert.ts";
import { log } from "../../src/log.ts";
import { getPyodide027 } from "./pyodide_027.ts";
import { type Called, startServer } from "./server.ts";

/** Runs code in a fresh server, which must live on; the value is what it got. */
export async function attempt(
  code: string,
  args: Record<string, unknown> = {},
  options: string[] = [],
): Promise<Called> {
  await using server = await startServer(options);
  const result = await server.call(code, args);
  assertEquals((await server.call("'alive'")).returnValue, "alive");
  return result;
}

const found = await getPyodide027();
if ("reason" in found) {
  log(`skipped: escapes from Pyodide 0.27: ${found.reason}`);
}

/** A way out that is tried on each Pyodide that is at hand; `options` choose it. */
export function onEachPyodide(
  name: string,
  fn: (options: string[]) => Promise<void>,
): void {
  onPyodides(`escape: ${name}`, fn);
}

/** A test for each Pyodide that is at hand. */
export function onPyodides(
  name: string,
  fn: (options: string[]) => Promise<void>,
): void {
  Deno.test(name, () => fn([]));
  Deno.test({
    name: `${name} (Pyodide 0.27)`,
    ignore: "reason" in found,
    fn: () => fn("folder" in found ? ["--pyodide", found.folder] : []),
  });
}
