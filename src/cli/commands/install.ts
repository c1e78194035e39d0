import { EXIT } from "../../errors.ts";
import {
  planEnvironment,
  repairEnvironment,
} from "../../launcher/installing/install.ts";
import { print } from "../../log.ts";
import { readable } from "../../environments/wanted_environment.ts";
import type { Settings } from "../../settings.ts";
import { renderPlan } from "../render_plan.ts";
import { withProgress } from "../install_progress.ts";

/** Does phase 1 alone, mends damaged files, and prints packages and folder. */
export async function install(
  settings: Settings,
  { dryRun }: { dryRun: boolean },
): Promise<number> {
  if (dryRun) {
    const plan = await withProgress((report) =>
      planEnvironment(settings, report)
    );
    print(renderPlan(plan));
    return EXIT.ok;
  }
  using environment = await withProgress((report) =>
    repairEnvironment(settings, report)
  );
  const packages = environment.packages.map(({ name, version }) =>
    `${name} ${version}\n`
  );
  print(`Python ${environment.python} (${environment.engine})\n`);
  print(packages.join(""));
  print(`in ${environment.folder}\n`);
  const { cacheDir, otherCacheDir } = readable(settings);
  if (otherCacheDir !== undefined) print(`New packages go to ${cacheDir}\n`);
  return EXIT.ok;
}
