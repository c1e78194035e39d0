import { EXIT } from "../errors.ts";
import { ensureEnvironment, planEnvironment } from "../install/install.ts";
import { print } from "../log.ts";
import type { Settings } from "../settings.ts";
import { renderPlan } from "./plan.ts";
import { report } from "./report.ts";

/** How to install. */
export interface InstallOptions {
  /** Only say what would be installed. */
  dryRun: boolean;
}

/** Phase 1 alone; says what is installed, and where. */
export async function install(
  settings: Settings,
  { dryRun }: InstallOptions,
): Promise<number> {
  if (dryRun) {
    print(renderPlan(await planEnvironment(settings, report)));
    return EXIT.ok;
  }
  const environment = await ensureEnvironment(settings, report);
  const packages = environment.packages.map(({ name, version }) =>
    `${name} ${version}\n`
  );
  print(`Python ${environment.python} (Pyodide ${environment.pyodide})\n`);
  print(packages.join(""));
  print(`in ${environment.folder}\n`);
  return EXIT.ok;
}
