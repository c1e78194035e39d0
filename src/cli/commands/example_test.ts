import { assertEquals } from "../../../deps/assert.ts";
import { toRequested } from "./example.ts";

Deno.test("toRequested() finds the packages of any kind of requirement", () => {
  const packages = ["a-b", "rich", "numpy", "x", "needed"].map((name) => ({
    name,
    version: "1.0",
    imports: [name],
    file: "",
    url: "",
    sha256: "",
  }));
  const requirements = [
    "A_B[c]>=1",
    "rich ; os_name == 'posix'",
    "numpy @ https://h.example/numpy-2-py3-none-any.whl",
    `x @ file:///w/x-1.0-py3-none-any.whl --hash=sha256:${"0a".repeat(32)}`,
  ];
  assertEquals(
    toRequested(packages, requirements).map(({ name }) => name),
    ["a-b", "rich", "numpy", "x"],
  );
});
