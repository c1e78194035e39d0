import { canonicalName } from "./canonical_name.ts";

/** The name that begins a requirement: `name>=1`, or `name @ URL`. */
export function requestedName(requirement: string): string {
  return canonicalName(requirement.trim().replace(/[^\w.-].*/s, ""));
}
