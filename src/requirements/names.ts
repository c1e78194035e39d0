/** The form in which indexes know a project's name (PEP 503). */
export function canonicalName(name: string): string {
  return name.replace(/[-_.]+/g, "-").toLowerCase();
}

/** The name that begins a requirement: `name>=1`, or `name @ URL`. */
export function requestedName(requirement: string): string {
  return canonicalName(requirement.trim().replace(/[^\w.-].*/s, ""));
}

/**
 * Splits a list at its commas, but for those inside brackets or quotes, or before
 * a version operator: `pandas[excel,html]>=2,<4,numpy` has two requirements.
 */
export function splitRequirements(list: string): string[] {
  const pieces = list.match(
    /(\[[^\]]*\]|\([^)]*\)|"[^"]*"|'[^']*'|,(?=\s*[<>=!~])|[^,])+/g,
  ) ?? [];
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== "");
}
