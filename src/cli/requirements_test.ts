import { assertEquals, assertThrows } from "../../deps/assert.ts";
import { parseRequirementsFile, splitRequirements } from "./requirements.ts";

Deno.test("splitRequirements() keeps the commas of a requirement", () => {
  const lists: Record<string, string[]> = {
    "": [],
    " , ,": [],
    "numpy": ["numpy"],
    "numpy,,rich,": ["numpy", "rich"],
    "pandas[excel,html]>=2,<4,numpy": ["pandas[excel,html]>=2,<4", "numpy"],
    "a>=1, !=1.5, <2, b": ["a>=1, !=1.5, <2", "b"],
    "a (>=1,<2),b~=1.0,==1.*": ["a (>=1,<2)", "b~=1.0,==1.*"],
    'a; python_version in "3.8,3.9",b': [
      'a; python_version in "3.8,3.9"',
      "b",
    ],
    "a,./b.whl,c @ https://example.com/c.whl": [
      "a",
      "./b.whl",
      "c @ https://example.com/c.whl",
    ],
    "a[b,c": ["a[b", "c"],
  };
  for (const [list, requirements] of Object.entries(lists)) {
    assertEquals(splitRequirements(list), requirements);
  }
});

Deno.test("parseRequirementsFile() reads comments and continued lines", () => {
  const text = `\uFEFF# comment \\
numpy  # another

  pandas[excel]>=2, \\
    <4
rich @ https://example.com/rich.whl#sha256=0a
pydantic \\
# comment inside
tqdm \\`;
  const requirements = [
    "numpy",
    "pandas[excel]>=2,     <4",
    "rich @ https://example.com/rich.whl#sha256=0a",
    "pydantic",
    "tqdm",
  ];
  assertEquals(parseRequirementsFile(text, "r.txt"), requirements);
  const windows = text.replaceAll("\n", "\r\n");
  assertEquals(parseRequirementsFile(windows, "r.txt"), requirements);
});

Deno.test("parseRequirementsFile() refuses options by file and line", () => {
  const options = [
    "-r other.txt",
    "-c constraints.txt",
    "--index-url https://example.com",
    "-e .",
    "rich==1 --hash=sha256:0a",
    "rich==1 \\\n  --hash=sha256:0a",
  ];
  for (const option of options) {
    assertThrows(
      () => parseRequirementsFile(`numpy\n\n# one\n${option}\n`, "/w/r.txt"),
      {
        name: "UserError",
        message: /^Cannot use ".*" in \/w\/r\.txt:4 /,
        exitCode: 2,
      },
    );
  }
});

Deno.test("parseRequirementsFile() refuses text that is not UTF-8", () => {
  assertThrows(() => parseRequirementsFile("n\0u\0m\0", "r.txt"), {
    name: "UserError",
    message: /^Cannot read "r.txt" as it is not UTF-8 text/,
  });
});
