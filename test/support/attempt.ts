import { assertEquals } from "../../deps/assert.ts";
import type { Called } from "./server.ts";
import { shareServer } from "./shared_server.ts";

/** Runs code in a server that other attempts share, and that must live on. */
export async function attempt(
  code: string,
  args: Record<string, unknown> = {},
  options: string[] = [],
): Promise<Called> {
  const server = await shareServer(options);
  const result = await server.call(code, args);
  assertEquals((await server.call("'alive'")).returnValue, "alive");
  return result;
}
