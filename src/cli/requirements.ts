import { EXIT, UserError } from "../errors.ts";

/**
 * Splits a list of requirements at its commas.
 *
 * A comma inside brackets or quotes, or before a version operator, belongs to
 * its requirement: `pandas[excel,html]>=2,<4,numpy` is two.
 */
export function splitRequirements(list: string): string[] {
  const pieces = list.match(
    /(\[[^\]]*\]|\([^)]*\)|"[^"]*"|'[^']*'|,(?=\s*[<>=!~])|[^,])+/g,
  ) ?? [];
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== "");
}

/**
 * Reads the text of a `requirements.txt`: requirements, comments, blank lines,
 * and lines that a backslash continues.
 *
 * @throws {UserError} If a line has an option, such as `-r` or `--hash`.
 */
export function parseRequirementsFile(text: string, file: string): string[] {
  const unix = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  if (unix.includes("\0")) {
    // Such as UTF-16, which older PowerShells write.
    throw new UserError(
      `Cannot read "${file}" as it is not UTF-8 text; save it as UTF-8.`,
      EXIT.usage,
    );
  }
  // As in pip, a line that is all comment neither continues nor is continued.
  const lines = unix.matchAll(/^[ \t]*#.*|(\\\n(?![ \t]*#)|[^\n])+/gm);
  return [...lines].flatMap(({ 0: line, index }) => {
    const requirement = line
      .replace(/\\(\n|$)/g, "")
      .replace(/(^|\s)#.*/, "")
      .trim();
    if (/^-|\s--\w/.test(requirement)) {
      const number = unix.slice(0, index).split("\n").length;
      throw new UserError(
        `Cannot use "${requirement}" in ${file}:${number} as only ` +
          `requirements are read, no options; take it out of the file.`,
        EXIT.usage,
      );
    }
    return requirement === "" ? [] : [requirement];
  });
}
