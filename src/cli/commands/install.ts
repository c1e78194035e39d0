import { EXIT } from "../../errors.ts";
import {
  planEnvironment,
  repairEnvironment,
} from "../../launcher/installing/install.ts";
import { print } from "../../log.ts";
import { readable } from "../../environments/wanted_environment.ts";
import type { Settings } from "../../settings.ts";
import type { Plan } from "../../environments/phase_1/messages.ts";
import { hideCredentials } from "../../requirements/hide_credentials.ts";
import { withProgress } from "../install_progress.ts";
import { toCount, toSize, toTable } from "../sizes.ts";

/** Does phase 1 alone, mends damaged files, and prints packages and folder. */
export async function install(
  settings: Settings,
  { dryRun }: { dryRun: boolean },
): Promise<number> {
  if (dryRun) {
    const plan = await withProgress((say) => planEnvironment(settings, say));
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

/** Renders a plan: a row for each package, and the size of all downloads. */
export function renderPlan(
  { python, engine, packages }: Omit<Plan, "requirements">,
): string {
  const rows = packages.map((one) => [
    one.name,
    one.version,
    hideCredentials(one.source),
    one.size === undefined ? "size not known" : toSize(one.size),
    one.cached ? "cached" : "to download",
  ]);
  const missing = packages.filter(({ cached }) => !cached);
  const sizes = missing.flatMap(({ size }) => size ?? []);
  const known = toSize(sizes.reduce((sum, size) => sum + size, 0));
  const total = missing.length === 0
    ? "nothing"
    : `${sizes.length < missing.length ? "more than " : ""}${known}`;
  return [
    `Python ${python} (${engine})`,
    ...toTable(rows),
    `${toCount(packages.length, "package")}, ${total} to download`,
    "",
  ].join("\n");
}
