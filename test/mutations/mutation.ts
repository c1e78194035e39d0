/** A wall made weaker, and the tests that must notice. */
export interface Mutation {
  /** What is weaker, in a few words; the names of all mutations differ. */
  name: string;
  /** The file, from the project's root. */
  file: string;
  /** The function, member or declaration that holds the wall. */
  where: string;
  /** What of it is replaced. */
  pattern: string;
  /** What stands there in its place. */
  replacement: string;
  /** Test files, from the project's root. */
  tests: string[];
  /** Part of the names of the tests to run; all of these files without it. */
  filter?: string;
}

/**
 * Reads the mutations of a file such as `processes.txt`.
 *
 *     == src/log.ts ← src/log_test.ts
 *
 *     an error may speak to a terminal
 *     @ log | controls
 *     - toLine(…)
 *     + …
 *
 * The head names the file with its walls, and the tests that notice. A mutation
 * has a name; then what holds the wall, and a part of the names of the tests;
 * then what is replaced, and by what. Another head with the same file has other
 * tests.
 */
export function parseMutations(text: string): Mutation[] {
  const mutations: Mutation[] = [];
  let file = "";
  let tests: string[] = [];
  for (const block of text.trim().split(/\n\n+/)) {
    const head = /^== (\S+) ← (.+)$/.exec(block);
    if (head) {
      [file, tests] = [head[1]!, head[2]!.split(" ")];
      continue;
    }
    const [name = "", at = "", ...lines] = block.split("\n");
    const [where = "", filter] = at.replace(/^@ /, "").split(" | ");
    const of = (sign: string) =>
      lines.filter((line) => line.startsWith(sign))
        .map((line) => line.slice(2)).join("\n");
    if (!at.startsWith("@ ") || lines.some((line) => !/^[-+]/.test(line))) {
      throw new SyntaxError(`Cannot read a mutation from: ${block}`);
    }
    mutations.push({
      ...{ name, file, where, pattern: of("-"), replacement: of("+"), tests },
      ...(filter === undefined ? {} : { filter }),
    });
  }
  return mutations;
}

/** Every mutation that `deno task mutate` tries: of all `.txt` files beside this one. */
export const MUTATIONS: readonly Mutation[] = [
  ...Deno.readDirSync(new URL(".", import.meta.url)),
].map(({ name }) => name).filter((name) => name.endsWith(".txt")).sort()
  .flatMap((name) =>
    parseMutations(Deno.readTextFileSync(new URL(name, import.meta.url)))
  );
