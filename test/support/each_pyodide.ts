import { log } from "../../src/log.ts";
import { getPyodide027 } from "./pyodide_027.ts";

const found = await getPyodide027();
if ("reason" in found) log(`skipped: tests of Pyodide 0.27: ${found.reason}`);

/** Folder of Pyodide 0.27; empty if it cannot be had. */
export const FOLDER_027: string = "folder" in found ? found.folder : "";

/** Packages of 0.27 in one environment, as its install takes as long as many tests. */
export const PACKAGES_027: string[] = [
  ...["--pyodide", FOLDER_027, "--offline"],
  ...["--deps", "matplotlib,pandas,pyarrow,scipy,sqlite3,ssl"],
];

/** A test for each Pyodide that is at hand; `options` choose it. */
export function onEachPyodide(
  name: string,
  fn: (options: string[]) => Promise<void>,
  ignore = false,
): void {
  Deno.test({ name, ignore, fn: () => fn([]) });
  Deno.test({
    name: `${name} (Pyodide 0.27)`,
    ignore: ignore || FOLDER_027 === "",
    fn: () => fn(["--pyodide", FOLDER_027]),
  });
}
