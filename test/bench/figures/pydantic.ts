import { join } from "node:path";
import { maybeInstalled } from "../../../src/launcher/installing/install.ts";
import { DEFAULTS } from "../../../src/settings.ts";
import { CACHE, command } from "../../support/command.ts";
import { type ColdSample, measureCold } from "./cold.ts";
import { measurePreparing, type Preparing } from "./preparing.ts";

const DEPENDENCIES = ["pydantic"];
const RUNS = 30;
const COLD_ROUNDS = 3;

/** Runs that import pydantic, and a cold load and import; or why there are none. */
export type Pydantic =
  | { ours: Preparing; cold: ColdSample[] }
  | { reason: string };

/** Ours and baseline, with a package of native code. */
export async function measurePydantic(): Promise<Pydantic> {
  const args = ["--deps", DEPENDENCIES.join(",")];
  const { code, stderr } = await command([...args, "install"]);
  if (code !== 0) return { reason: stderr.trim() };
  const wheels = wheelPaths();
  if (!wheels) return { reason: "its environment is not where it should be" };
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

/** The wheels that ours were made of. */
function wheelPaths(): string[] | undefined {
  const environment = maybeInstalled({
    ...DEFAULTS,
    dependencies: DEPENDENCIES,
    cacheDir: CACHE,
  });
  return environment?.packages.map(({ sha256, file }) =>
    join(CACHE, "wheels", sha256, file)
  );
}
