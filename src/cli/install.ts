import { EXIT } from "../errors.ts";
import { ensureEnvironment } from "../install/install.ts";
import { logEvent } from "./log_event.ts";
import { print } from "../log.ts";
import type { Settings } from "../settings.ts";

/** Phase 1 alone; says what is installed, and where. */
export async function install(settings: Settings): Promise<number> {
  const environment = await ensureEnvironment(settings, logEvent);
  const packages = environment.packages.map(({ name, version }) =>
    `${name} ${version}\n`
  );
  print(`Python ${environment.python} (Pyodide ${environment.pyodide})\n`);
  print(packages.join(""));
  print(`in ${environment.folder}\n`);
  return EXIT.ok;
}
