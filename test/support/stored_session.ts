import { join } from "node:path";
import { sha256 } from "../../src/disk.ts";
import { encodeHead, nameOf } from "../../src/keeper/value_file.ts";

/** Writes the file of a session, without a state that could be restored; gives its name. */
export async function writeStored(
  folder: string,
  { key, metadata, version = 1 }: {
    key: string;
    /** As JSON: a session's names its environment. */
    metadata: unknown;
    /** Of the file's form. */
    version?: number;
  },
): Promise<string> {
  const name = nameOf({ space: "sessions", owner: "ada", key });
  const head = encodeHead({
    ...{ name, key, bytes: 0, created: 1, updated: 1, revision: "1" },
    ...{ sha256: sha256(""), metadata: JSON.stringify(metadata) },
  });
  const text = new TextDecoder().decode(head).replace(
    "kept 1 ",
    () => `kept ${version} `,
  );
  await Deno.writeTextFile(join(folder, name), text);
  return name;
}
