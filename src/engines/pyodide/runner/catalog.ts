/**
 * Which package of the distribution has a module, as a Python module: for hints.
 *
 * @param lockFile Of the distribution.
 */
export function toCatalog(lockFile: string): string {
  const packages: Record<string, { imports?: string[] }> =
    JSON.parse(lockFile).packages;
  const entries = Object.entries(packages).flatMap(([name, { imports = [] }]) =>
    name.endsWith("-tests") ? [] : imports.map((module) => [module, name])
  );
  return `PACKAGES = ${JSON.stringify(Object.fromEntries(entries), null, 1)}\n`;
}
