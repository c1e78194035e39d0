import { assertEquals } from "../../deps/assert.ts";
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
