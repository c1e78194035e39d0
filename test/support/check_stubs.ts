import { fileURLToPath } from "node:url";
import { log } from "../../src/log.ts";
import { findPython } from "../bench/figures/plain_python.ts";

const PYTHON = await findPython();

/**
 * Has Python read stubs, and look up each of their names; on a machine without
 * Python a line on stderr says so.
 *
 * @throws {Error} If one is more than classes of dictionaries and a function
 * without a body.
 */
export async function checkStubs(
  stubs: readonly { alias: string; stub: string }[],
): Promise<void> {
  if (PYTHON === undefined) {
    log("Stubs are not checked: there is no python3.");
    return;
  }
  const child = new Deno.Command(PYTHON, {
    args: [fileURLToPath(import.meta.resolve("./check_stubs.py"))],
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const pairs = stubs.map(({ alias, stub }) => [alias, stub]);
  const output = child.output();
  const input = new Blob([JSON.stringify(pairs)]).stream();
  await input.pipeTo(child.stdin).catch(() => {});
  const { success, stderr } = await output;
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
