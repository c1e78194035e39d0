import { type ColdSample, measureCold } from "./cold.ts";
import { install } from "./installed.ts";
import { measurePreparing, type Preparing } from "./preparing.ts";

const RUNS = 30;
const COLD_ROUNDS = 3;

/** Runs that import pydantic, and a cold load and import; or why there are none. */
export type Pydantic =
  | { ours: Preparing; cold: ColdSample[] }
  | { reason: string };

/** Ours and baseline, with a package of native code. */
export async function measurePydantic(): Promise<Pydantic> {
  const installed = await install("pydantic");
  if ("reason" in installed) return installed;
  const { args, wheels } = installed;
  // Half before and half after, so that noise of the machine meets both.
  const cold: ColdSample[] = [];
  const measureSome = async () => {
    for (let round = 0; round < COLD_ROUNDS; round++) {
      cold.push(await measureCold([...wheels, "pydantic"]));
    }
  };
  await measureSome();
  const ours = await measurePreparing(RUNS, { args, code: "import pydantic" });
  await measureSome();
  return { ours, cold };
}
