import { hideCredentials } from "../credentials.ts";
import type { Plan, PlannedPackage } from "../install/plan.ts";

/** A plan for the reader: a row for each package, and what is to download. */
export function renderPlan(
  { python, pyodide, packages }: Omit<Plan, "requirements">,
): string {
  const rows = packages.map((one) => [
    one.name,
    one.version,
    hideCredentials(one.source),
    one.size === undefined ? "size not known" : toSize(one.size),
    one.cached ? "cached" : "to download",
  ]);
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0))
  );
  const lines = rows.map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")
  );
  return [`Python ${python} (Pyodide ${pyodide})`, ...lines, total(packages)]
    .map((line) => `${line}\n`).join("");
}

/** Bytes, for the reader. */
export function toSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kib = bytes / 1024;
  return kib < 1024
    ? `${Math.ceil(kib)} KiB`
    : `${(kib / 1024).toFixed(1)} MiB`;
}

function total(packages: PlannedPackage[]): string {
  const missing = packages.filter(({ cached }) => !cached);
  const sizes = missing.flatMap(({ size }) => size ?? []);
  const known = toSize(sizes.reduce((sum, size) => sum + size, 0));
  const noun = packages.length === 1 ? "package" : "packages";
  const count = `${packages.length} ${noun}`;
  if (missing.length === 0) return `${count}, nothing to download`;
  return sizes.length < missing.length
    ? `${count}, more than ${known} to download`
    : `${count}, ${known} to download`;
}
