/**
 * The list of `deno task mutate`, without running it: an entry that no longer
 * fits the source would weaken nothing.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import { type Mutation, MUTATIONS } from "./mutations/mutation.ts";
import { weaken } from "./mutations/weaken.ts";

const ROOT = new URL("../", import.meta.url);
const read = (file: string) => Deno.readTextFileSync(new URL(file, ROOT));

Deno.test("every mutation weakens a wall that there is", () => {
  const gone = MUTATIONS.flatMap((mutation) => {
    const fault = faultOf(mutation);
    return fault ? [`${mutation.name}: ${fault}${hint(mutation)}`] : [];
  });
  assertEquals(gone.join("\n"), "");
});

Deno.test("every mutation names tests that there are", () => {
  const gone = MUTATIONS.flatMap(({ name, tests, filter = "" }) => {
    try {
      assert(tests.map(read).join("\n").includes(filter), filter);
      return [];
    } catch (error) {
      return [`${name}: ${tests} ${filter} (${Object(error).message})`];
    }
  });
  assertEquals(gone.join("\n"), "");
});

Deno.test("mutations are few, and no two have one name", () => {
  const names = MUTATIONS.map(({ name }) => name);
  assertEquals([...new Set(names)], names);
  assert(names.length < 800, `${names.length} mutations`);
});

function faultOf(mutation: Mutation): string | undefined {
  const { file } = mutation;
  try {
    const source = read(file);
    return weaken(file, source, mutation) === source
      ? "it changes nothing"
      : undefined;
  } catch (error) {
    return `${file}: ${Object(error).message}`;
  }
}

/** Other places that the pattern of a mutation matches. */
function hint(mutation: Mutation): string {
  const places = sources().flatMap((file) =>
    [mutation.where, "*"].filter((where) =>
      !faultOf({ ...mutation, file, where })
    ).slice(0, 1).map((where) => `${file} ${where}`)
  );
  const isFew = places.length > 0 && places.length < 4;
  return isFew ? `\n  perhaps: ${places.join(", ")}` : "";
}

let known: string[] | undefined;
function sources(): string[] {
  return known ??= [...walk("src")];
}

function* walk(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, ROOT))) {
    const path = `${folder}/${name}`;
    if (isDirectory && name !== "bundle") yield* walk(path);
    else if (/(?<!_test)\.(ts|py)$/.test(name)) yield path;
  }
}
