/**
 * The packages that a request's code may have installed: rules that server and
 * launcher share. Strict on purpose, and in TypeScript, as both check before any
 * Python reads the requirement.
 *
 * @module
 */
import { canonicalName } from "./names.ts";

const LONGEST = 200;
const REQUIREMENT =
  /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(\[[\w.,\s-]*\])?\s*([<>=!~][^@;/:]*)?$/;

interface NamedRequirement {
  /** Name in its canonical form (PEP 503). */
  name: string;
  hasExtras: boolean;
  /** Versions (PEP 440); empty for all. */
  specifier: string;
  /** The whole requirement, the same for all its spellings. */
  text: string;
}

/** Reads a requirement; undefined if malformed, or with an address or marker. */
export function maybeNamed(text: string): NamedRequirement | undefined {
  if (text.length > LONGEST) return undefined;
  const [, project, inBrackets = "", versions = ""] =
    REQUIREMENT.exec(text.trim()) ?? [];
  if (project === undefined) return undefined;
  const name = canonicalName(project);
  const extras = toList(inBrackets.slice(1, -1), canonicalName);
  const specifier = toList(versions, canonicalVersion);
  const hasExtras = extras !== "";
  const wanted = hasExtras ? `${name}[${extras}]` : name;
  return { name, hasExtras, specifier, text: wanted + specifier };
}

/** Each part of a list once, in one order. */
function toList(text: string, canonical: (part: string) => string): string {
  const parts = text.split(",").map((part) => canonical(part.trim()));
  return [...new Set(parts)].filter((part) => part !== "").sort().join(",");
}

function canonicalVersion(clause: string): string {
  return clause.toLowerCase().replace(/^([<>=!~]+)\s+/, "$1");
}

export function isAllowed(name: string, allowed: readonly string[]): boolean {
  return allowed.includes("*") || allowed.includes(name);
}
