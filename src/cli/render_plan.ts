import { hideCredentials } from "../requirements/hide_credentials.ts";
import { toCount, toSize } from "./sizes.ts";
import { toTable } from "./sizes.ts";
import type {
  Plan,
  PlannedPackage,
} from "../environments/installer_messages.ts";

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
  const title = `Python ${python} (${engine})`;
  return [title, ...toTable(rows), total(packages), ""].join("\n");
}

function total(packages: PlannedPackage[]): string {
  const missing = packages.filter(({ cached }) => !cached);
  const sizes = missing.flatMap(({ size }) => size ?? []);
  const known = toSize(sizes.reduce((sum, size) => sum + size, 0));
  const count = toCount(packages.length, "package");
  if (missing.length === 0) return `${count}, nothing to download`;
  return sizes.length < missing.length
    ? `${count}, more than ${known} to download`
    : `${count}, ${known} to download`;
}
