import { assert, assertEquals, assertRejects } from "../../deps/assert.ts";
import { parseScriptMetadata } from "./script_metadata.ts";

function script(...lines: string[]): string {
  return ["# /// script", ...lines.map((line) => `# ${line}`), "# ///"]
    .join("\n");
}

Deno.test("parseScriptMetadata() reads what a script needs", async () => {
  const block = script(
    'requires-python = ">=3.11"',
    "dependencies = [",
    "  \"rich>=13 ; python_version > '3'\", # why",
    '  "pandas[excel]<3",',
    "]",
    "[tool.other]",
    'dependencies = "not ours"',
  );
  const metadata = {
    dependencies: ["rich>=13 ; python_version > '3'", "pandas[excel]<3"],
    requiresPython: ">=3.11",
  };
  const code = `#!/usr/bin/env python\n"""Docs."""\n${block}\nimport rich\n`;
  for (const eol of ["\n", "\r\n", "\r"]) {
    assertEquals(
      await parseScriptMetadata(code.replaceAll("\n", eol)),
      metadata,
    );
  }
  assertEquals(await parseScriptMetadata(block), metadata);
});

Deno.test("parseScriptMetadata() lists no dependencies for a block that names none", async () => {
  for (const block of ["# /// script\n#\n# ///", script(""), script("a = 1")]) {
    assertEquals(await parseScriptMetadata(block), { dependencies: [] });
  }
});

Deno.test("parseScriptMetadata() finds no block in other code", async () => {
  for (
    const code of [
      "",
      "print(1)",
      "# /// script",
      "# /// script\n# ///",
      "# /// script\n# dependencies = []",
      "# /// script\n# dependencies = []\n\n# ///",
      "# /// script\n#dependencies = []\n# ///",
      "# /// script\n# dependencies = []\n# /// ",
      "#  /// script\n# dependencies = []\n# ///",
      " # /// script\n # dependencies = []\n # ///",
      "# /// script \n# dependencies = []\n# ///",
      "# /// pyproject\n# not TOML\n# ///",
    ]
  ) {
    assertEquals(await parseScriptMetadata(code), undefined, code);
  }
});

Deno.test("parseScriptMetadata() says what is wrong with a block", async () => {
  const wrong: [string, RegExp][] = [
    [`${script("a=1")}\n\n${script("a=1")}`, /^there are two script blocks/],
    [script("dependencies ="), /^line \d+ of its script block is not TOML: /],
    [
      script("dependencies = ['a'", "b"),
      /^line \d+ of its script block is not TOML: /,
    ],
    [script("a=1", "a=2"), /^line \d+ of its script block is not TOML: /],
    [
      script("a=" + "[".repeat(6e4)),
      /^line \d+ of its script block is not TOML: .*nested/,
    ],
    [script('dependencies = "rich"'), /^dependencies .* must be texts, as in/],
    [script("dependencies = ['a', 1]"), /^dependencies .* must be texts/],
    [script("[dependencies]"), /^dependencies .* must be texts/],
    [script("requires-python = 3.11"), /^requires-python .* must be a text/],
    [script("requires-python = ['>3']"), /^requires-python .* must be a text/],
  ];
  for (const [code, message] of wrong) {
    await assertRejects(parseScriptMetadata(code), {
      name: "SyntaxError",
      message,
    });
  }
});

Deno.test("parseScriptMetadata() refuses a block of more than 64 KiB, and reads a block of 64 KiB", async () => {
  // In UTF-8 an é has two bytes.
  const block = (bytes: number) =>
    script(`a = "é${"x".repeat(bytes - 'a = "é"'.length - 1)}"`);
  assertEquals(await parseScriptMetadata(block(65536)), { dependencies: [] });
  for (const bytes of [65537, 2 ** 20]) {
    await assertRejects(parseScriptMetadata(block(bytes)), {
      name: "SyntaxError",
      message: `its script block has ${bytes} bytes, and may have 65536`,
    });
  }
  // Other blocks may have any length.
  const other = block(2 ** 20).replace("script", "other");
  assertEquals(await parseScriptMetadata(other), undefined);
});

Deno.test("parseScriptMetadata() finds the blocks that the pattern of the PEP finds", async () => {
  // The pattern, with Python's idea of a line and of its end.
  const pattern =
    /(?<![^\n])# \/\/\/ (?<type>[a-zA-Z0-9-]+)(?![^\n])\n(?<content>(#(| [^\n]*)\n)+)# \/\/\/(?![^\n])/g;
  const lines = ["# /// script", "# ///", "# /// x", "#", "# a", "#b", ""];
  let state = 1;
  const pick = () => {
    state = state * 48271 % 2147483647;
    return state % lines.length;
  };
  for (let round = 0; round < 5000; round++) {
    const code = Array.from({ length: pick() + 6 }, () => lines[pick()])
      .join("\n");
    const found = [...code.matchAll(pattern)]
      .filter(({ groups }) => groups?.["type"] === "script");
    const ours = await parseScriptMetadata(code).catch(({ message }) =>
      message.startsWith("there are two") ? 2 : 1
    );
    const expected = Math.min(found.length, 2);
    assertEquals(typeof ours === "object" ? 1 : ours ?? 0, expected, code);
  }
});

Deno.test("parseScriptMetadata() is not kept busy by many equal lines", async () => {
  for (
    const line of ["# /// script", "# ///", "# [a]", "#", "# /// x\n# ///"]
  ) {
    const code = `# /// script\n# ///\n${`${line}\n`.repeat(80_000)}`;
    const started = performance.now();
    await parseScriptMetadata(code).catch(({ name }) =>
      assertEquals(name, "SyntaxError")
    );
    assert(performance.now() - started < 10_000, line);
  }
});

Deno.test({
  name: "parseScriptMetadata() needs no permission",
  permissions: "none",
  async fn() {
    assertEquals(await parseScriptMetadata(script("dependencies = ['a']")), {
      dependencies: ["a"],
    });
  },
});
