import { assertEquals } from "../../deps/assert.ts";
import { isAllowed, maybeNamed } from "./allowed.ts";

const SPELLINGS: Record<string, string[]> = {
  "rich": ["rich", "Rich", " RICH ", "rich[]", "rich [ , ]"],
  "rich>=1": ["rich>=1", "Rich >= 1", "rich>=1,", "rich>=1,>= 1"],
  "rich!=1.5,<2,>=1": ["rich>=1,<2,!=1.5", "rich < 2 , != 1.5, >=1"],
  "rich==1.0rc1": ["rich==1.0RC1", "rich == 1.0rc1"],
  "mrp-fixture-x": ["mrp-fixture-x", "MRP_Fixture.X", "mrp._-fixture-x"],
  "rich[a,b-c]": ["rich[a,b-c]", "Rich[B_C, A]", "rich [a,a,b.c]"],
  "rich[a]~=1.2": ["rich[a]~=1.2", "rich[A] ~= 1.2"],
};

Deno.test("maybeNamed() gives all spellings of a requirement one text", () => {
  for (const [text, spellings] of Object.entries(SPELLINGS)) {
    for (const spelling of spellings) {
      assertEquals(maybeNamed(spelling)?.text, text, spelling);
    }
  }
});

Deno.test("maybeNamed() does not mend a version", () => {
  assertEquals(maybeNamed("rich>= 1. 0")?.text, "rich>=1. 0");
});

Deno.test("maybeNamed() takes only names with versions", () => {
  for (
    const text of [
      ...["", "-rich", "rich-", "rich rich", "ri/ch", "rich>=1/2", "--pre"],
      ...["rich @ https://h.example/x.whl", "rich;python_version>'3'"],
      ...[
        "rich>=1;x",
        "rich>=1@x",
        "rich>=1/x",
        "rich[a",
        "rich[a/b]",
        "./x.whl",
        "file:///x.whl",
      ],
      `rich>=${"1".repeat(200)}`,
    ]
  ) assertEquals(maybeNamed(text), undefined, text);
  const longest = `rich>=${"1".repeat(194)}`;
  assertEquals(maybeNamed(longest)?.text, longest);
});

Deno.test("maybeNamed() reads no hash", () => {
  const hash = `--hash=sha256:${"0".repeat(64)}`;
  const all = [`x ${hash}`, `x>=1 ${hash}`, `x==1.0${hash}`, ""];
  assertEquals(all.filter(maybeNamed), []);
});

Deno.test("isAllowed() compares whole names, and * allows any", () => {
  assertEquals(isAllowed("rich", ["richer", "ric", "rich"]), true);
  assertEquals(isAllowed("rich", ["richer", "ric"]), false);
  assertEquals(isAllowed("rich", []), false);
  assertEquals(isAllowed("rich", ["x", "*"]), true);
});
