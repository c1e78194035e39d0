import { EXIT } from "../errors.ts";
import { repairEnvironment } from "../install/install.ts";
import { print } from "../log.ts";
import type { Settings } from "../settings.ts";
import { withProgress } from "./progress.ts";

/** Phase 1 alone, which also mends what is damaged; says what is installed, and where. */
export async function install(settings: Settings): Promise<number> {
  using environment = await withProgress((report) =>
    repairEnvironment(settings, report)
  );
  const packages = environment.packages.map(({ name, version }) =>
    `${name} ${version}\n`
  );
  print(`Python ${environment.python} (Pyodide ${environment.pyodide})\n`);
  print(packages.join(""));
  print(`in ${environment.folder}\n`);
  return EXIT.ok;
}
