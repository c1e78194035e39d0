import { fileURLToPath } from "node:url";
import { ensurePython } from "./cache.ts";
import { CACHE } from "./command.ts";
import type { Fault } from "./faults.ts";
import type { FaultyOrder } from "./faulty_launcher.ts";
import { connectTo, type TestServer } from "./server.ts";

const LAUNCHER = fileURLToPath(import.meta.resolve("./faulty_launcher.ts"));

/** Starts the real server over sandboxes that have these faults. */
export async function startFaulty(
  faults: Fault[],
  settings: Partial<FaultyOrder["settings"]> = {},
): Promise<TestServer> {
  await ensurePython();
  const order: FaultyOrder = {
    settings: {
      ...{ cacheDir: CACHE, startTimeoutSeconds: 60 },
      ...{ pool: 1, maxConcurrency: 1 },
      ...settings,
    },
    faults,
  };
  return await connectTo([LAUNCHER, JSON.stringify(order)]);
}
