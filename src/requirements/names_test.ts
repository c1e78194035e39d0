import { assertEquals } from "../../deps/assert.ts";
import { requestedName, splitRequirements } from "./names.ts";

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

Deno.test("requestedName() finds the name in any kind of requirement", () => {
  const requirements = [
    "A_B[c]>=1",
    "rich ; os_name == 'posix'",
    "numpy @ https://h.example/numpy-2-py3-none-any.whl",
    `x @ file:///w/x-1.0-py3-none-any.whl --hash=sha256:${"0a".repeat(32)}`,
  ];
  assertEquals(requirements.map(requestedName), ["a-b", "rich", "numpy", "x"]);
});
