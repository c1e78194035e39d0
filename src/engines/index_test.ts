import { assertEquals } from "../../deps/assert.ts";
import { ENGINES } from "./index.ts";

const SRC = new URL("../", import.meta.url);
/** Where an engine may be named: its folder, its tool, phase 1, and the list of rows. */
const OWN =
  /^(engines\/\w+|server\/contracts\/run|environments\/phase_1|installer|preloader)\//;
const LIST = "engines/index.ts";

Deno.test("outside of its own folders, no file of the source names an engine", async () => {
  const named = new RegExp(
    ENGINES.map(({ profile }) => profile.name).join("|"),
    "i",
  );
  const naming: string[] = [];
  for await (const path of filesBelow("")) {
    if (OWN.test(path) || path === LIST || /_test\.ts$/.test(path)) continue;
    const text = await Deno.readTextFile(new URL(path, SRC));
    if (named.test(path) || named.test(text)) naming.push(path);
  }
  assertEquals(naming, []);
  const cli = await Deno.readTextFile(new URL("../cli.ts", SRC));
  assertEquals(named.test(cli), false);
});

Deno.test("each engine has a name of its own", () => {
  const names = ENGINES.map(({ profile }) => profile.name);
  assertEquals([...new Set(names)], names);
});

async function* filesBelow(folder: string): AsyncGenerator<string> {
  for await (
    const { name, isDirectory } of Deno.readDir(new URL(folder, SRC))
  ) {
    if (isDirectory) yield* filesBelow(`${folder}${name}/`);
    else yield `${folder}${name}`;
  }
}
