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
