import { canonicalName } from "./canonical_name.ts";

/** The names that begin requirements, each of a name or `name @ URL`. */
export function requestedNames(requirements: readonly string[]): string[] {
  return requirements.map((requirement) =>
    canonicalName(requirement.trim().replace(/[^\w.-].*/s, ""))
  );
}

/**
 * Leaves out packages that are there only because others need them; all stay if
 * no package was asked for by name, as with a lock file.
 */
export function toRequested<Package extends { name: string }>(
  packages: readonly Package[],
  requested: readonly string[],
): Package[] {
  return packages.filter(({ name }) =>
    requested.length === 0 || requested.includes(canonicalName(name))
  );
}
