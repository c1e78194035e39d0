import { join } from "node:path";
import { ENVIRONMENT_FILES } from "../engines/pyodide/versions.ts";
import type { StoredLinks } from "../engines/pyodide/stored_files.ts";
import type { Draft, Environment } from "../environments/environment.ts";

const { linkedWasm, linkedGlue, links } = ENVIRONMENT_FILES;

/** Removes linked files from a draft, for a reason. */
export async function unlink(draft: Draft, reason: string): Promise<void> {
  await draft.remove(linkedWasm, linkedGlue);
  await draft.write(linksFile({ reason }));
}

/** Copies linked files, or the reason why there are none. */
export async function copyLinked(
  { folder, files }: Environment,
  draft: Draft,
): Promise<void> {
  for (const name of [links, linkedWasm, linkedGlue]) {
    if (!files[name]) continue;
    await draft.write({ [name]: await Deno.readFile(join(folder, name)) });
  }
}

export function linksFile(stored: StoredLinks): Record<string, Uint8Array> {
  return { [links]: new TextEncoder().encode(JSON.stringify(stored)) };
}
