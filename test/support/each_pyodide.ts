import { log } from "../../src/log.ts";
import { getPyodide027 } from "./pyodide_027.ts";
import { ALL_ROUNDS } from "./rounds.ts";

const found = await getPyodide027();
if ("reason" in found) log(`skipped: tests of Pyodide 0.27: ${found.reason}`);

/** Folder of Pyodide 0.27; empty if it cannot be had. */
export const FOLDER_027: string = "folder" in found ? found.folder : "";

/** Packages of 0.27 in one environment, as its install takes as long as many tests. */
export const PACKAGES_027: string[] = [
  ...["--pyodide", FOLDER_027, "--offline"],
  ...["--deps", "matplotlib,pandas,pyarrow,scipy,sqlite3,ssl"],
];

type PyodideTest = [
  name: string,
  fn: (options: string[]) => Promise<void>,
  ignore?: boolean,
];

/**
 * A test for each Pyodide that is at hand; `options` choose it. It runs over 0.27
 * in `deno task slow`, as a start of 0.27 takes seconds: its files are not linked.
 */
export function onEachPyodide(
  ...[name, fn, ignore = false]: PyodideTest
): void {
  Deno.test({ name, ignore, fn: () => fn([]) });
  if (ALL_ROUNDS) over027(name, fn, ignore);
}

/** The same for a test that 0.27 may fail alone: `deno task test` runs it twice. */
export function alwaysOnEachPyodide(
  ...[name, fn, ignore = false]: PyodideTest
): void {
  Deno.test({ name, ignore, fn: () => fn([]) });
  over027(name, fn, ignore);
}

function over027(...[name, fn, ignore = false]: PyodideTest): void {
  Deno.test({
    name: `${name} (Pyodide 0.27)`,
    ignore: ignore || FOLDER_027 === "",
    fn: () => fn(["--pyodide", FOLDER_027]),
  });
}
