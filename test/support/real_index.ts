import { log } from "../../src/log.ts";
import { command } from "./command.ts";

/** Why packages of the real index cannot be installed; undefined if they can. */
export const NO_INDEX: string | undefined = await whyNoIndex();
if (NO_INDEX) log(`skipped: tests of the real index: ${NO_INDEX}`);

async function whyNoIndex(): Promise<string | undefined> {
  const { stdout } = await command(["doctor"]);
  const [line = "doctor does not say"] = /package index.*/.exec(stdout) ?? [];
  return line.endsWith(" answers") ? undefined : line;
}
