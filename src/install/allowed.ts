/**
 * What a call's code may have installed: the rules that server and launcher
 * share.
 *
 * @module
 */
const LONGEST = 200;
const REQUIREMENT =
  /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(\[[\w.,\s-]*\])?\s*([<>=!~][^@;/:]*)?$/;

/** A requirement that names a package, and no address. */
export interface NamedRequirement {
  /** Name in its canonical form (PEP 503). */
  name: string;
  hasExtras: boolean;
  /** Versions (PEP 440); empty for all. */
  specifier: string;
}

/**
 * Reads a requirement that a call's code has.
 *
 * @returns Undefined if it is an address or a path, has a marker, or is none.
 */
export function maybeNamed(text: string): NamedRequirement | undefined {
  if (text.length > LONGEST) return undefined;
  const [, name, extras, specifier = ""] = REQUIREMENT.exec(text.trim()) ?? [];
  return name === undefined
    ? undefined
    : { name: canonicalName(name), hasExtras: extras !== undefined, specifier };
}

/** Whether a call's code may have a package installed. */
export function isAllowed(name: string, allowed: readonly string[]): boolean {
  return allowed.includes("*") || allowed.includes(name);
}

/** A project's name as indexes compare it (PEP 503). */
export function canonicalName(name: string): string {
  return name.replace(/[-_.]+/g, "-").toLowerCase();
}
