import { join } from "node:path";
import { sha256 } from "../../src/disk.ts";
import {
  Draft,
  environmentFolder,
} from "../../src/environments/environment.ts";
import { USED } from "../../src/environments/file_locks.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** A cache folder whose environments have no Python; removed at the end. */
export interface FakeCache extends AsyncDisposable {
  path: string;
  /** Adds an environment, made of wheels with these contents. */
  addEnvironment(
    letter: string,
    options?: { wheels?: string[]; daysAgo?: number },
  ): Promise<string>;
  /** Adds a wheel with these contents. */
  addWheel(contents: string, daysAgo?: number): Promise<string>;
  /** Adds a note that a source has a wheel with these contents. */
  addNote(contents: string): Promise<string>;
  /** Adds any file; its folders, too. */
  addFile(path: string, contents?: string, daysAgo?: number): Promise<string>;
  /** All files below it, relative. */
  files(): string[];
}

/** Makes an empty one. */
export async function makeFakeCache(): Promise<FakeCache> {
  const path = await Deno.makeTempDir({ prefix: "mcp-run-python-" });
  const addFile: FakeCache["addFile"] = async (
    name,
    contents = "",
    daysAgo = 0,
  ) => {
    const file = join(path, name);
    await Deno.mkdir(join(file, ".."), { recursive: true });
    await Deno.writeTextFile(file, contents);
    await age(file, daysAgo);
    return file;
  };
  return {
    path,
    addFile,
    async addEnvironment(letter, { wheels = [], daysAgo = 0 } = {}) {
      const folder = environmentFolder(path, toId(letter));
      const packages = wheels.map((contents) => ({
        name: contents,
        version: "1.0",
        imports: [],
        file: `${contents}.whl`,
        url: "",
        sha256: sha256(contents),
      }));
      await using draft = new Draft(folder);
      await draft.write({ "snapshot.bin": new Uint8Array(1024 * 1024) });
      await draft.publish({
        ...{ requested: [], engine: "Pyodide 1", python: "3", packages },
        preloaded: { modules: [], whilePreparing: [], broken: [] },
      });
      await age(join(folder, USED), daysAgo);
      return folder;
    },
    addWheel: (contents, daysAgo) =>
      addFile(
        join("wheels", sha256(contents), `${contents}.whl`),
        contents,
        daysAgo,
      ),
    addNote: (contents) =>
      addFile(join("wheels", sha256(contents), `${sha256("source")}.from`)),
    files: () => [...filesBelow(path)].sort(),
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}

/** The id of an environment of `addEnvironment()`. */
export function toId(letter: string): string {
  return letter.repeat(24);
}

/** Makes a file as old as that. */
export async function age(path: string, days: number): Promise<void> {
  const time = new Date(Date.now() - days * DAY_MS);
  await Deno.utime(path, time, time);
}

function* filesBelow(folder: string, prefix = ""): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = join(prefix, name);
    if (isDirectory) yield* filesBelow(join(folder, name), path);
    else yield path;
  }
}
