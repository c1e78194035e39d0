/**
 * Splits a list of requirements at its commas.
 *
 * A comma inside brackets or quotes, or before a version operator, belongs to
 * its requirement: `pandas[excel,html]>=2,<4,numpy` has two requirements.
 */
export function splitRequirements(list: string): string[] {
  const pieces = list.match(
    /(\[[^\]]*\]|\([^)]*\)|"[^"]*"|'[^']*'|,(?=\s*[<>=!~])|[^,])+/g,
  ) ?? [];
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== "");
}
