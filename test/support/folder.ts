import { join } from "node:path";

/** A folder of its own for a test, without symbolic links in its path. */
export interface TempFolder extends AsyncDisposable {
  path: string;
  /** Makes folders in it; gives their paths. */
  make<Names extends string[]>(
    ...names: Names
  ): Promise<{ [Index in keyof Names]: string }>;
}

/** Makes a folder that is gone with the test. */
export async function tempFolder(): Promise<TempFolder> {
  const path = await Deno.realPath(await Deno.makeTempDir());
  return {
    path,
    async make(...names) {
      const paths = names.map((name) => join(path, name));
      for (const one of paths) await Deno.mkdir(one);
      return paths as { [Index in keyof typeof names]: string };
    },
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}

/** The names in a folder, sorted. */
export async function namesIn(folder: string): Promise<string[]> {
  const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  return names.sort();
}
