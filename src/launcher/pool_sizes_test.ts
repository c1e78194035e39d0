import { assert, assertEquals } from "../../deps/assert.ts";
import { DEFAULTS, type Settings } from "../settings.ts";
import { memoryBytes, toPoolSizes, toSessionTerms } from "./pool_sizes.ts";

const GIB = 1024 ** 3;

function sizes(
  some: Partial<Settings>,
  cores: number,
  gib: number,
  isShared = false,
) {
  const settings = { ...DEFAULTS, ...some, cacheDir: "/cache" };
  return toPoolSizes(settings, isShared, { cores, memoryBytes: gib * GIB });
}

Deno.test("toPoolSizes() has a run for each core, as far as the memory goes", () => {
  assertEquals(sizes({}, 2, 24), { ready: 2, running: 2, waiting: 100 });
  assertEquals(sizes({}, 64, 24).running, 8);
  assertEquals(sizes({ maxFilesMiB: 4096 }, 64, 24).running, 2);
  assertEquals(sizes({ memoryMiB: 4096 }, 64, 24).running, 2);
  assertEquals(sizes({}, 4, 1).running, 1);
});

Deno.test("toPoolSizes() has more ready for callers that share a server", () => {
  const shared = sizes({}, 2, 24, true);
  assertEquals(shared, { ready: 4, running: 2, waiting: 100 });
});

Deno.test("toPoolSizes() does as the user says", () => {
  const chosen = { pool: 1, maxConcurrency: 20, maxQueue: 5 };
  assertEquals(sizes(chosen, 2, 4), { ready: 1, running: 20, waiting: 5 });
});

Deno.test("toSessionTerms() has as many sessions in memory as their processes have room", () => {
  const terms = (some: Partial<Settings>, gib: number) => {
    const settings = { ...DEFAULTS, ...some, cacheDir: "/cache" };
    const { maxSessions, maxSessionsMiB, sessionMiB = 0 } = toSessionTerms(
      settings,
      gib * GIB,
    );
    assert(maxSessions * sessionMiB <= maxSessionsMiB);
    return [maxSessions, maxSessionsMiB];
  };
  assertEquals(terms({}, 8), [56, 4096]);
  assertEquals(terms({ maxSessionsMiB: 1024 }, 8), [14, 1024]);
  assertEquals(terms({ maxSessionsMiB: 128, maxSessions: 1 }, 8), [1, 128]);
});

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
