import { assert, assertEquals, assertThrows } from "../../deps/assert.ts";
import { ENGINE } from "../engines/index.ts";
import { UserError } from "../errors.ts";
import { DEFAULTS, type Settings } from "../settings.ts";
import { TOY } from "../../test/support/toy_engine/row.ts";
import { refusePackages, toEngines } from "./engines.ts";

const KNOWN = [ENGINE, TOY];
const { name } = ENGINE.profile;

function refuses(work: () => unknown, ...words: string[]): void {
  assertThrows(work, (error) => {
    assert(error instanceof UserError);
    for (const word of words) assert(error.message.includes(word), `${error}`);
    return true;
  });
}

Deno.test("toEngines() has the first engine for code that names none", () => {
  assertEquals(toEngines([], KNOWN), { engine: ENGINE, otherEngines: [] });
  assertEquals(toEngines(["toy"], KNOWN), { engine: TOY, otherEngines: [] });
  const both = { engine: ENGINE, otherEngines: [TOY] };
  assertEquals(toEngines([name, "toy"], KNOWN), both);
});

Deno.test("toEngines() names the engines there are, and the one that is wrong", () => {
  const of = (...names: string[]) => () => toEngines(names, KNOWN);
  refuses(of(name, "toys"), '"toys" for --engine', `${name}, toy`, "mean toy?");
  refuses(of(name, "toy", name), `"${name}" twice`, `${name}, toy`);
  refuses(of("toy", name), `"${name}"`, `Write --engine ${name},toy.`);
});

Deno.test("refusePackages() names the option about packages, and what to do", () => {
  const settings: Settings = { ...DEFAULTS, cacheDir: "/c", engine: TOY };
  refusePackages(settings);
  const given: [Partial<Settings>, string][] = [
    [{ dependencies: ["rich"] }, "--deps"],
    [{ constraints: ["rich<9"] }, "--constraints"],
    [{ locked: { path: "/l", text: "" } }, "--locked"],
    [{ allowInstall: ["rich"] }, "--allow-install"],
    [{ findLinks: ["/w"] }, "--find-links"],
    [{ dist: "/d" }, "--dist"],
    [{ indexUrl: "https://x.example/" }, "--index-url"],
    [{ extraIndexUrls: ["https://x.example/"] }, "--extra-index-url"],
    [{ runtimeFolder: "/r" }, ENGINE.options.runtime.flags.split(" ")[0] ?? ""],
  ];
  for (const [some, flag] of given) {
    const remedy = `--engine ${name},toy`;
    const wrong = `Cannot use ${flag} with --engine toy`;
    refuses(() => refusePackages({ ...settings, ...some }), wrong, remedy);
    refusePackages({ ...settings, ...some, engine: ENGINE });
  }
});
