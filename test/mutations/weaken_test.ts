import { assertEquals, assertThrows } from "../../deps/assert.ts";
import { parseMutations } from "./mutation.ts";
import { weaken } from "./weaken.ts";

const SOURCE = `
/** Opens. */
export async function open(
  path: string,
): Promise<void> {
  const text = \`a \${names.map((name) => \`"\${name}"\`)} }\`;
  // Not: if (isLink(path)) throw
  if (/^[/"]/.test(path)) {
    throw new TypeError("a slash");
  }
  close(path,);
}

class Door {
  close(path: string) {
    if (size > MOST) return;
  }

  #shut(): void {
    if (size > MOST) return;
  }
}
`;

Deno.test("weaken() replaces what a pattern matches in a named function", () => {
  const rows: [where: string, pattern: string, put: string, has: string][] = [
    [
      "open",
      'if (/^[/"]/ .test( path )) { throw new TypeError(…); }',
      "",
      "throw\n  \n  close(path,);",
    ],
    ["open", "close(path);", "close(…);", "close();\n"],
    ["close", "size>MOST", "size > Infinity", "if (size > Infinity) return;"],
    [
      "Door.#shut",
      "if (…) return;",
      "if (!(…)) return;",
      "if (!(size > MOST))",
    ],
    ["*", "names.map(…)", "…", '`a ${(name) => `"${name}"`} }`'],
  ];
  for (const [where, pattern, replacement, has] of rows) {
    const weak = weaken("a.ts", SOURCE, { where, pattern, replacement });
    assertEquals(weak.includes(has), true, weak);
  }
});

Deno.test("weaken() keeps the indentation of Python", () => {
  const source =
    "class A:\n  def b(self):\n    # if x:\n    if x:\n      return\n";
  const weak = weaken("a.py", source, {
    where: "A.b",
    pattern: "if x:\n  return",
    replacement: "try:\n  pass\nfinally: pass",
  });
  assertEquals(
    weak,
    "class A:\n  def b(self):\n    # if x:\n    try:\n      pass\n    finally: pass\n",
  );
});

Deno.test("weaken() refuses what is not there exactly once", () => {
  for (
    const [where, pattern, message] of [
      ["shut", "size", "it has no shut"],
      ["Door", "size > MOST", "Door has 2 of: size > MOST"],
      ["open", "isLink", "open has 0 of: isLink"],
    ] as const
  ) {
    const mutation = { where, pattern, replacement: "" };
    const expected = { name: "RangeError", message };
    assertThrows(() => weaken("a.ts", SOURCE, mutation), expected);
  }
});

Deno.test("parseMutations() reads a head and its mutations", () => {
  const text = `== src/a.ts ← a_test.ts b_test.ts

all is open
@ open | is shut
- a();
- b();

nothing is said
@ *
- c
+ d
`;
  const head = { file: "src/a.ts", tests: ["a_test.ts", "b_test.ts"] };
  assertEquals(parseMutations(text), [
    {
      ...{ ...head, name: "all is open", where: "open", filter: "is shut" },
      ...{ pattern: "a();\nb();", replacement: "" },
    },
    {
      ...{ ...head, name: "nothing is said", where: "*" },
      ...{ pattern: "c", replacement: "d" },
    },
  ]);
  assertThrows(() => parseMutations("all is open\n- a"), SyntaxError);
});
