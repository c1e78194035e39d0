import { assertEquals } from "../../deps/assert.ts";
import { splitRequirements } from "./split_requirements.ts";

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
