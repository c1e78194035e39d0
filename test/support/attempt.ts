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
  log(`skipped: tests in Pyodide 0.27: ${found.reason}`);
}

/** A test for each Pyodide that is at hand; `options` choose it. */
export function onEachPyodide(
  name: string,
  fn: (options: string[]) => Promise<void>,
  ignore = false,
): void {
  Deno.test({ name, ignore, fn: () => fn([]) });
  Deno.test({
    name: `${name} (Pyodide 0.27)`,
    ignore: ignore || "reason" in found,
    fn: () => fn("folder" in found ? ["--pyodide", found.folder] : []),
  });
}
