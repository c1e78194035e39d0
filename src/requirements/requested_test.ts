import { assertEquals } from "../../deps/assert.ts";
import { requestedNames, toRequested } from "./requested.ts";

const PACKAGES = ["a-b", "rich", "numpy", "x", "needed"]
  .map((name) => ({ name }));

Deno.test("requestedNames() finds the packages of any kind of requirement", () => {
  const requirements = [
    "A_B[c]>=1",
    "rich ; os_name == 'posix'",
    "numpy @ https://h.example/numpy-2-py3-none-any.whl",
    `x @ file:///w/x-1.0-py3-none-any.whl --hash=sha256:${"0a".repeat(32)}`,
  ];
  assertEquals(requestedNames(requirements), ["a-b", "rich", "numpy", "x"]);
});

Deno.test("toRequested() leaves out what others need, but takes all if no name was asked for", () => {
  assertEquals(toRequested([{ name: "A.b" }, ...PACKAGES], ["a-b", "gone"]), [
    { name: "A.b" },
    { name: "a-b" },
  ]);
  assertEquals(toRequested(PACKAGES, []), PACKAGES);
});
