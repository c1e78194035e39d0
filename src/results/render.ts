import { isDeeper } from "../protocol/depth.ts";
import { describeImage, toImageEntry } from "./result_images.ts";
import type {
  Image,
  Json,
  ListedFile,
  RunResult,
} from "../protocol/run_result.ts";
import type { ReturnMode } from "../settings.ts";

/** Deeper values have no indentation, which would grow by the square. */
const MAX_INDENTED = 20;
/** Indentation makes a value at most this many times as long. */
const MOST_INDENTED = 4;

/**
 * Writes a result as the text block of a tool's answer.
 *
 * @example The text of `print("x=4")` and `4`
 * ```ts
 * import { assertEquals } from "../../deps/assert.ts";
 *
 * assertEquals(
 *   toText({ status: "success", output: ["x=4"], returnValue: 4 }, "xml"),
 *   `<status>success</status>
 * <output>
 * x=4
 * </output>
 * <return_value>
 * 4
 * </return_value>`,
 * );
 * ```
 *
 * @param mode Sections in tags, or one line of JSON.
 */
export function toText(result: RunResult, mode: ReturnMode): string {
  switch (mode) {
    case "xml":
      return toXml(result);
    case "json":
      return JSON.stringify(toStructured(result));
  }
}

/** Writes a result as `structuredContent`; `OUTPUT_SCHEMA` describes it. */
export function toStructured(result: RunResult): Record<string, Json> {
  const { status, output, images, truncated, files } = result;
  return {
    status,
    output,
    ...(result.status === "success"
      ? { return_value: result.returnValue }
      : { error: result.error }),
    ...(images ? { images: images.map(toImageEntry) } : {}),
    ...(truncated ? { truncated: { ...truncated } } : {}),
    ...(files ? { files: files.map((file) => ({ ...file })) } : {}),
  };
}

function toXml(result: RunResult): string {
  const sections = [`<status>${result.status}</status>`];
  if (result.output.length > 0) {
    sections.push(section("output", result.output.join("\n")));
  }
  if (result.status !== "success") {
    sections.push(section("error", result.error));
  } else if (result.returnValue === "") {
    sections.push("<return_value></return_value>");
  } else if (result.returnValue !== null) {
    sections.push(section("return_value", toReadable(result.returnValue)));
  }
  if (result.images) {
    sections.push(
      section("images", result.images.map(toLine).join("\n")),
    );
  }
  if (result.files && result.files.length > 0) {
    sections.push(filesSection(result.files, result.truncated?.files));
  }
  return sections.join("\n");
}

function toLine(image: Image): string {
  return `${image.uri} (${describeImage(image)})`;
}

function filesSection(files: ListedFile[], total?: number): string {
  const lines = files.map(({ path, size, mimeType: type, uri, text }) => {
    const attributes = Object.entries({ path, size, type, uri }).flatMap(
      ([name, value]) =>
        value === undefined ? [] : [` ${name}="${escapeValue(`${value}`)}"`],
    ).join("");
    if (text === undefined) return `<file${attributes} />`;
    return `<file${attributes}>\n${
      escapeTags(text.replace(/\n$/, ""))
    }\n</file>`;
  });
  if (total !== undefined) {
    lines.push(`${total - files.length} more: resources/list has them.`);
  }
  return `<files>\n${lines.join("\n")}\n</files>`;
}

function escapeValue(text: string): string {
  return text.replace(
    /[&<>"\p{C}]/gu,
    (char) => `&#${char.codePointAt(0)};`,
  );
}

function section(tag: string, text: string): string {
  return `<${tag}>\n${escapeTags(text)}\n</${tag}>`;
}

/**
 * Escapes the tags of all sections, in any spelling that a model might take for
 * a tag, invisible characters included. It escapes no other `<`: printed code,
 * comparisons and HTML reach the model as they are.
 */
function escapeTags(text: string): string {
  return text.replace(
    /<(?=[\s\p{C}/]*(?:status|output|return_value|error|images|files?)\b)/giu,
    "&lt;",
  );
}

function toReadable(value: Json): string {
  if (typeof value === "string") return value;
  const short = JSON.stringify(value);
  if (isDeeper(value, MAX_INDENTED)) return short;
  const indented = JSON.stringify(value, null, 2);
  const most = MOST_INDENTED * Math.max(short.length, 1000);
  return indented.length > most ? short : indented;
}
