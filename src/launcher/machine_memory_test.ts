import { assert, assertEquals } from "../../deps/assert.ts";
import { memoryBytes } from "./machine_memory.ts";

const reader = (files: Record<string, string>) => (path: string) => {
  const text = files[path];
  if (text === undefined) throw new Deno.errors.NotFound(path);
  return text;
};
const OWN = "/proc/self/cgroup";
const GROUPS = "/sys/fs/cgroup";

Deno.test("memoryBytes() is the least of the machine's memory and the bounds around this process", () => {
  const bytes = (files: Record<string, string>) =>
    memoryBytes(8000, reader(files));
  assertEquals(bytes({}), 8000);
  const container = { [OWN]: "0::/\n" };
  assertEquals(bytes(container), 8000);
  const limited = { ...container, [`${GROUPS}/memory.max`]: "500\n" };
  assertEquals(bytes(limited), 500);
  const unit = {
    [OWN]: "1:name=x:/other\n0::/system.slice/python.service\n",
    [`${GROUPS}/memory.max`]: "max\n",
    [`${GROUPS}/system.slice/memory.max`]: "700\n",
    [`${GROUPS}/system.slice/python.service/memory.max`]: "900\n",
  };
  assertEquals(bytes(unit), 700);
  assertEquals(bytes({ ...limited, [`${GROUPS}/memory.max`]: "9000" }), 8000);
});

Deno.test("memoryBytes() knows this machine", () => {
  assert(memoryBytes() > 2 ** 28);
});
