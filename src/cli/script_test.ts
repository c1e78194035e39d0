import { assertEquals, assertRejects } from "../../deps/assert.ts";
import { machine } from "../../test/support/machine.ts";
import { DEFAULTS } from "../settings.ts";
import { parseArguments, type Source } from "./arguments.ts";
import { checkPython, withMetadata } from "./script.ts";

const context = machine({
  "/w/x-1.0-py3-none-any.whl": "",
  "/srv/app/x-1.0-py3-none-any.whl": "",
  "/srv/app/my.lock": 'lock-version = "1.0"',
});
const file: Source = { kind: "file", path: "/w/script.py" };
const stdin: Source = { kind: "stdin" };
const code: Source = { kind: "code", code: "" };

const SETTINGS = { ...DEFAULTS, cacheDir: "/c" };

async function dependencies(
  options: string[],
  source: Source,
  added: string[],
) {
  const args = [...options, "install"];
  const invocation = await parseArguments(args, {}, context);
  if (invocation.command === "print") throw new TypeError("No settings");
  const code = `# /// script\n# dependencies = ${JSON.stringify(added)}\n# ///`;
  const { settings } = invocation;
  const { wanted } = await withMetadata(settings, code, source, context);
  return wanted.dependencies;
}

Deno.test("withMetadata() names the script that is malformed", async () => {
  const broken = "# /// script\n# dependencies = 1\n# ///";
  const names: [Source, string][] = [
    [file, "/w/script.py"],
    [stdin, "standard input"],
    [code, "--code"],
  ];
  for (const [source, name] of names) {
    await assertRejects(withMetadata(SETTINGS, broken, source, context), {
      name: "UserError",
      message: `Cannot run ${name}: dependencies in its script block must be ` +
        'texts, as in ["rich"]. See PEP 723 for how to write it.',
      exitCode: 2,
    });
  }
  const { wanted, requiresPython } = await withMetadata(
    SETTINGS,
    "print(1)",
    file,
    context,
  );
  assertEquals([wanted, requiresPython], [SETTINGS, undefined]);
});

Deno.test("withMetadata() adds to those of the command line", async () => {
  assertEquals(
    await dependencies(["--deps", "numpy,rich"], file, ["rich", "tqdm<9"]),
    ["numpy", "rich", "tqdm<9"],
  );
  // A lock file is the whole.
  assertEquals(await dependencies(["--locked", "my.lock"], file, ["rich"]), []);
});

Deno.test("withMetadata() takes paths from the script's folder", async () => {
  const path = ["./x-1.0-py3-none-any.whl"];
  assertEquals(await dependencies([], file, path), [
    "x @ file:///w/x-1.0-py3-none-any.whl",
  ]);
  for (const source of [stdin, code]) {
    assertEquals(await dependencies([], source, path), [
      "x @ file:///srv/app/x-1.0-py3-none-any.whl",
    ]);
  }
});

Deno.test("withMetadata() names the script of a wrong dependency", async () => {
  for (const wrong of ["num py", "-r x.txt", "a\nb", "none.whl", ""]) {
    await assertRejects(() => dependencies([], file, [wrong]), {
      name: "UserError",
      message: /^Cannot read requirement "[^"]*" of \/w\/script\.py: /,
      exitCode: 2,
    });
  }
});

Deno.test("checkPython() compares as pip does", async () => {
  for (const range of ["", ">=3.10", ">= 3.10, <3.15", "~=3.14", "==3.14.*"]) {
    await checkPython("3.14.2", range, file);
    await checkPython("3.14.0a1", range === ">=3.10" ? range : "", file);
  }
  await assertRejects(checkPython("3.14.2", "<3.10", file), {
    message:
      "Cannot run /w/script.py as it requires Python <3.10, and this is 3.14.2.",
    exitCode: 1,
  });
  for (const range of ["3.10", ">>3", "new", ">=3,", `<${"9".repeat(22)}`]) {
    await assertRejects(checkPython("3.14.2", range, stdin), {
      message:
        `Cannot run standard input as its requires-python, "${range}", ` +
        'is not a range of versions; write it like ">=3.11".',
      exitCode: 2,
    });
  }
});
