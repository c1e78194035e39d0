import { assertEquals } from "../../deps/assert.ts";
import { DEFAULTS, type Settings } from "../settings.ts";
import { toPoolSizes } from "./pool_sizes.ts";

const GIB = 1024 ** 3;

function sizes(some: Partial<Settings>, cores: number, gib: number) {
  const settings = { ...DEFAULTS, ...some, cacheDir: "/cache" };
  return toPoolSizes(settings, { cores, memoryBytes: gib * GIB });
}

Deno.test("toPoolSizes() has a run for each core, as far as the memory goes", () => {
  assertEquals(sizes({}, 2, 24), { ready: 2, running: 2, waiting: 100 });
  assertEquals(sizes({}, 64, 24).running, 8);
  assertEquals(sizes({ maxFilesMiB: 4096 }, 64, 24).running, 2);
  assertEquals(sizes({ memoryMiB: 4096 }, 64, 24).running, 2);
  assertEquals(sizes({}, 4, 1).running, 1);
});

Deno.test("toPoolSizes() does as the user says", () => {
  const chosen = { pool: 1, maxConcurrency: 20, maxQueue: 5 };
  assertEquals(sizes(chosen, 2, 4), { ready: 1, running: 20, waiting: 5 });
});
