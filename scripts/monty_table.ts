/**
 * Writes the table of docs/monty.md that says what its language has: each row is a
 * program that ran. `deno run -A scripts/monty_table.ts`
 *
 * @module
 */
import type { Engine, OpenEngine } from "../src/engines/engine.ts";
import { MONTY } from "../src/engines/monty/engine.ts";
import type { Ending } from "../src/protocol/run_messages.ts";
import { REQUEST, SETUP } from "../test/support/request.ts";
import { PROBES } from "./monty_probes.ts";
import { toTable, withTables } from "./options_table.ts";

export const PAGE: URL = new URL("../docs/monty.md", import.meta.url);

/** Runs all probes, and gives their tables. */
export async function probedTables(): Promise<string> {
  const engine = await open();
  let tables = "";
  for (const [heading, probes] of Object.entries(PROBES)) {
    const rows = [["feature", "Monty"]];
    for (const [feature, code] of probes) {
      rows.push([feature, toCell(await probe(engine, code))]);
    }
    tables += `\n### ${heading}\n\n${toTable(rows)}`;
  }
  return `${tables}\n`;
}

async function open(): Promise<Engine> {
  const { openEngine }: { openEngine: OpenEngine } = await import(
    MONTY.host.href
  );
  const { files } = await MONTY.findRuntime();
  return await openEngine({
    ...{ runtime: files, environment: "" },
    ...{ memoryMiB: 512, maxFilesMiB: 64, maxFiles: 1000 },
  });
}

async function probe(engine: Engine, code: string): Promise<Ending> {
  const interpreter = await engine.prepare(SETUP, () => {});
  const ending = await interpreter.run(
    { request: { ...REQUEST, code } },
    () => Promise.resolve(),
  );
  await interpreter.end();
  return ending;
}

/** "yes", or the class and the first line of the error. */
function toCell(ending: Ending): string {
  if (ending.status === "success") {
    return ending.value === "true" ? "yes" : `wrong: ${ending.value}`;
  }
  const [line = ""] = (ending.errorMessage ?? ending.error).split("\n");
  const words = line.replace(PARSER, "").replaceAll("|", "\\|");
  return `\`${ending.errorType ?? ending.status}: ${words}\``;
}

/** What each error of a syntax that is not there begins with. */
const PARSER = /^The monty syntax parser does not yet support /;

if (import.meta.main) {
  const page = await Deno.readTextFile(PAGE);
  await Deno.writeTextFile(PAGE, withTables(page, await probedTables()));
  Deno.exit();
}
