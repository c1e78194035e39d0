import { assert, assertEquals } from "../../deps/assert.ts";
import type { Probed } from "./probe.ts";

/** That no try was allowed but these. */
export function assertAllowed(
  probed: Probed,
  allowed: readonly string[],
): void {
  const names = Object.keys(probed).filter((name) => probed[name]);
  assertEquals(names, [...allowed]);
  assert(Object.keys(probed).length > 9, JSON.stringify(probed));
}

/** Runs a program, with flags before it, that prints JSON. */
export async function runDeno<Found>(
  args: string[],
  order: unknown,
  env: Record<string, string> = {},
): Promise<Found> {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", ...args, JSON.stringify(order)],
    env: { NO_COLOR: "1", ...env },
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert(text !== "", new TextDecoder().decode(stderr));
  return JSON.parse(text);
}
