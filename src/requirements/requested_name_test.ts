import { assertEquals } from "../../deps/assert.ts";
import { requestedName } from "./requested_name.ts";

Deno.test("requestedName() finds the name in any kind of requirement", () => {
  const requirements = [
    "A_B[c]>=1",
    "rich ; os_name == 'posix'",
    "numpy @ https://h.example/numpy-2-py3-none-any.whl",
    `x @ file:///w/x-1.0-py3-none-any.whl --hash=sha256:${"0a".repeat(32)}`,
  ];
  assertEquals(requirements.map(requestedName), ["a-b", "rich", "numpy", "x"]);
});
