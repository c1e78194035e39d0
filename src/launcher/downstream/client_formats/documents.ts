import {
  type ParseError,
  parseJsonc,
  printParseErrorCode,
} from "../../../../deps/jsonc.ts";
import { fields } from "../../../protocol/fields.ts";

/** The object in a text of JSON, in which comments and trailing commas may stand. */
export function readJson(text: string): Record<string, unknown> {
  const whole = text.replace(/^\uFEFF/, "");
  if (whole.trim() === "") return {};
  try {
    // Files of some clients have megabytes, which the native parser reads faster.
    return toObject(JSON.parse(whole));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const errors: ParseError[] = [];
  const document = parseJsonc(whole, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (!first) return toObject(document);
  const line = whole.slice(0, first.offset).split("\n").length;
  throw new SyntaxError(
    `line ${line} is not JSON: ${toWords(printParseErrorCode(first.error))}`,
  );
}

function toObject(document: unknown): Record<string, unknown> {
  if (typeof document === "object" && document && !Array.isArray(document)) {
    return fields(document);
  }
  throw new SyntaxError("it is not a JSON object");
}

/** As in "close brace expected". */
function toWords(code: string): string {
  return code.replace(/\B[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
