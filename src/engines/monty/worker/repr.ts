/** Writes a text as Python's `repr()` does. */
export function toRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replace(
    /[\\'\n\r\t]|(?! )[\p{C}\p{Z}]/gu,
    (character) => {
      if (character === "'") return quote === "'" ? "\\'" : "'";
      return SHORT[character] ?? escaped(character.codePointAt(0) ?? 0);
    },
  );
  return quote + inner + quote;
}

const SHORT: Record<string, string> = {
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

function escaped(code: number): string {
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff
    ? `\\u${hex.padStart(4, "0")}`
    : `\\U${hex.padStart(8, "0")}`;
}
