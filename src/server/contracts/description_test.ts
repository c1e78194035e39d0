import { SERVER_SETTINGS } from "../../../test/support/request.ts";
import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import { describe } from "./description.ts";

const SETTINGS: ServerSettings = {
  ...SERVER_SETTINGS,
  memoryMiB: 300,
};

/** Describes a server with packages of these names, of which some were asked for. */
function withPackages(names: string[], requested: string[]): string {
  const wheel = { version: "2", file: "", url: "", sha256: "" };
  const packages = names.map((name) => ({ ...wheel, name, imports: [name] }));
  const environment = { id: "", python: "3.14.2", requested, packages };
  return describe({ ...SETTINGS, environment });
}

Deno.test("describe() tells the limit of memory, and that there is no !pip", () => {
  assertMatch(
    describe(SETTINGS),
    /^Runs Python 3\.14\.2 code .* 300 MiB of memory, .* no !pip\..* standard library is there, and no other package\.$/,
  );
});

Deno.test("describe() lists the packages that were asked for, and names the list of all", () => {
  const ends = (names: string[], requested: string[]) =>
    withPackages(names, requested).replace(/^.*(?=Installed)/s, "");
  const all =
    " So are the packages that these need: the resource run-python://packages lists all.";
  assertEquals(
    ends(["numpy", "pandas", "six"], ["pandas"]),
    `Installed beside the standard library: pandas 2.${all}`,
  );
  assertEquals(
    ends(["numpy", "pandas"], ["pandas", "numpy"]),
    "Installed beside the standard library: numpy 2; pandas 2.",
  );
});

Deno.test("describe() names packages that are still to be installed", () => {
  assertMatch(
    describe({
      ...SETTINGS,
      environment: undefined,
      expected: ["pandas", "rich"],
    }),
    /^Runs Python code .* table with its headings.* there will be pandas, rich: the first call/,
  );
});

Deno.test("describe() tells of tables where there is pandas", () => {
  const says = (name: string) => withPackages([name], []).includes("headings");
  assertEquals([says("pandas"), says("numpy")], [true, false]);
});
