import { assert, assertEquals } from "../deps/assert.ts";
import {
  DEFAULTS,
  OPTIONS,
  type Settings,
  settingsFor,
  toRows,
} from "./settings.ts";
import { optionsOf } from "./settings/option.ts";
import { integer, toggle, variables, webAddress } from "./settings/kinds.ts";

/** Settings that all have values, most of them secret. */
const FULL: Settings = {
  ...DEFAULTS,
  dependencies: ["x @ https://ada:secret@h.example/x-1-py3-none-any.whl"],
  locked: { path: "/x.lock", text: "https://ada:secret@h.example" },
  dist: "https://ada:secret@h.example",
  indexUrl: "https://ada:secret@h.example",
  extraIndexUrls: ["https://ada:secret@h.example"],
  variables: { KEY: "of a run" },
  cacheDir: "/c",
  cpuSeconds: 5,
};

Deno.test("settingsFor() tells a process the settings of its rows alone", () => {
  assertEquals(Object.keys(settingsFor("sandbox", FULL)).sort(), [
    ...[
      "allowNet",
      "backgroundCpuSeconds",
      "cpuSeconds",
      "logLevel",
      "maxFiles",
      "maxFilesMiB",
    ],
    ...["memoryMiB", "mounts"],
  ]);
  const { cpuSeconds: _, ...unlimited } = FULL;
  assert(!("cpuSeconds" in settingsFor("sandbox", unlimited)));
  const told = settingsFor("server", FULL);
  assertEquals(told.timeoutSeconds, DEFAULTS.timeoutSeconds);
  assert(!("cacheDir" in told) && !("mounts" in told));
});

Deno.test("settingsFor() tells no process a credential, and no sandbox a secret", () => {
  for (const process of ["server", "sandbox"] as const) {
    assert(!JSON.stringify(settingsFor(process, FULL)).includes("secret"));
  }
  assert(!JSON.stringify(settingsFor("sandbox", FULL)).includes("of a run"));
});

Deno.test("optionsOf() makes no row that would tell a credential or a secret", () => {
  const option = optionsOf("Other");
  const spec = { help: "x" };
  // @ts-expect-error: credentials go to no process.
  option("--x <url>", webAddress, { ...spec, goesTo: ["server"] });
  // @ts-expect-error: secrets go to no process by its arguments.
  option("--y <NAME=VALUE>", variables, { ...spec, goesTo: ["sandbox"] });
  for (const [key, { kind, spec }] of toRows()) {
    if ("mayHoldCredentials" in kind) assertEquals(spec.goesTo, undefined, key);
    if ("isSecret" in kind) assert(!spec.goesTo?.includes("sandbox"), key);
  }
});

Deno.test("optionsOf() names an option's variable and key after its first long flag", () => {
  const option = optionsOf("Other");
  const spec = { help: "x" };
  const { flag, names, variables } = option(
    "-d, --max-deps, --most <count>",
    integer(1, 9),
    { ...spec, variables: ["MOST"] },
  );
  assertEquals([flag, names], ["--max-deps", ["max-deps", "most"]]);
  assertEquals(variables, ["MOST", "MCP_RUN_PYTHON_MAX_DEPS"]);
  const off = option("--no-color", toggle, { ...spec, givenBy: ["file"] });
  assertEquals([off.preset, off.names, off.variables], ["0", ["color"], []]);
});

Deno.test("no two options share a flag, a variable or a key", () => {
  for (const key of ["names", "variables"] as const) {
    const all = OPTIONS.flatMap((option) => option[key]);
    assertEquals([...new Set(all)], all);
  }
  const flags = OPTIONS.map(({ flag }) => flag);
  assertEquals([...new Set(flags)], flags);
});

Deno.test("integer() takes whole numbers within its bounds, and names them", () => {
  const { parse, wants } = integer(1, 20, "MiB");
  assertEquals(wants, "a whole number of MiB from 1 to 20");
  assertEquals(["1", "20"].map(parse), [1, 20]);
  for (const text of ["0", "21", "1.5", "1e1", "", "-1", " 1", "0x1"]) {
    assertEquals(parse(text), undefined, text);
  }
  assertEquals(integer(1).wants, "a whole number above 0");
});
