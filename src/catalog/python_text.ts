// Texts of a server as Python source: whatever they hold, none leaves its place.
import { cutText, head, isCut } from "../results/cut.ts";
import type { Json } from "../protocol/run_result.ts";

/** A JSON value as Python writes it; undefined if that is longer. */
export function maybeLiteral(value: Json, longest: number): string | undefined {
  const literal = toLiteral(value);
  return literal.length <= longest ? literal : undefined;
}

function toLiteral(value: Json): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return toStringLiteral(value);
  if (Array.isArray(value)) return `[${value.map(toLiteral).join(", ")}]`;
  const entries = Object.entries(value).map(([key, item]) =>
    `${toStringLiteral(key)}: ${toLiteral(item)}`
  );
  return `{${entries.join(", ")}}`;
}

/** Every escape of JSON is an escape of Python, too. */
export function toStringLiteral(text: string): string {
  return JSON.stringify(text).replace(UNSEEN, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4
      ? `\\U${code.padStart(8, "0")}`
      : `\\u${code.padStart(4, "0")}`;
  });
}

/** The source of a docstring, each line behind `indent`. */
export function toDocstring(text: string, indent: string): string {
  const escaped = text.replaceAll("\\", "\\\\")
    .replace(/""+|"$/g, (quotes) => quotes.replaceAll('"', '\\"'));
  const lines = escaped.split("\n");
  if (lines.length === 1) return `${indent}"""${escaped}"""`;
  const indented = lines.map((line) => line === "" ? "" : indent + line);
  return `${indented.join("\n").replace(indent, `${indent}"""`)}\n${indent}"""`;
}

/** A text without characters that hide, or that turn others around. */
export function toPlainText(text: string, longest: number): string {
  // A text that is cut first is never walked whole.
  const plain = head(text, 2 * longest).toWellFormed()
    .replace(/\r\n?|[\u2028\u2029\v\f\x85]/g, "\n").replace(UNSEEN, "")
    .split("\n").map((line) => line.trimEnd()).join("\n").trim();
  const cut = cutText(plain, longest).text;
  return isCut(cut) ? cut.trim() : cut;
}

/** The same in one line, as for a comment. */
export function toLine(text: string, longest: number): string {
  const line = toPlainText(text, 2 * longest).replace(/\s+/g, " ");
  return line.length <= longest ? line : `${head(line, longest - 1)}…`;
}

/** Controls, marks of direction and tags; those that join letters may stay. */
const UNSEEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
