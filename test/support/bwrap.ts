import { join } from "node:path";
import { tempFolder } from "./folder.ts";

/** A program in the place of bubblewrap, which a machine may not have. */
export interface FakeBwrap extends AsyncDisposable {
  path: string;
  /** What `PATH` must be for it to be found. */
  searchPath: string;
}

/** Puts none of its wall around a command, which it runs. */
export const WITHOUT_WALL =
  `while [ "$1" != -- ]; do shift; done; shift; exec "$@"`;

/** Makes one that does what a line of shell says. */
export async function fakeBwrap(line: string): Promise<FakeBwrap> {
  const folder = await tempFolder();
  const path = join(folder.path, "bwrap");
  await Deno.writeTextFile(path, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  return {
    path,
    searchPath: `${folder.path}:${Deno.env.get("PATH")}`,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
