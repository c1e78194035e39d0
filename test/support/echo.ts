/**
 * Prints how it was started: put before a command, it stands in that command's
 * place and runs nothing of it.
 *
 * @module
 */
import { print } from "../../src/log.ts";

/** Arguments and variables of a process. */
export interface Echo {
  args: string[];
  variables: Record<string, string>;
}

if (import.meta.main) {
  // Deno gives these to itself.
  const { PATH: _, DENO_NODE_SHIM_ACTIVE: __, ...variables } = Deno.env
    .toObject();
  const echo: Echo = { args: Deno.args, variables };
  print(JSON.stringify(echo));
}
