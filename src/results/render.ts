import { isCut } from "./cut.ts";
import { describeImage } from "./result_images.ts";
import type {
  Image,
  Json,
  ListedFile,
  RunResult,
} from "../protocol/run_result.ts";

/** Characters of a value that stands in one line. */
const ONE_LINE = 400;

/** Writes a result as the text block of a tool's answer. */
export function toText(result: RunResult, mode: "xml" | "json"): string {
  return mode === "xml" ? toXml(result) : JSON.stringify(toStructured(result));
}

/** Writes a result as `structuredContent`; `OUTPUT_SCHEMA` describes it. */
export function toStructured(result: RunResult): Record<string, Json> {
  const { status, output, images, truncated, files, session } = result;
  return {
    status,
    output,
    ...(result.status === "success"
      ? { return_value: result.returnValue }
      : { error: result.error }),
    ...(images ? { images: images.map(toEntry) } : {}),
    ...(truncated ? { truncated: { ...truncated } } : {}),
    ...(files ? { files: files.map((file) => ({ ...file })) } : {}),
    ...(session === undefined ? {} : { session }),
  };
}

export function toEntry({ uri, mimeType, size }: Image): Json {
  return { uri, mimeType, size };
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
    sections.push(
      section("return_value", result.shown ?? toReadable(result.returnValue)),
    );
  }
  if (result.images) {
    const lines = result.images.map((image) =>
      `${image.uri} (${describeImage(image)})`
    );
    sections.push(section("images", lines.join("\n")));
  }
  if (result.files && result.files.length > 0) {
    sections.push(filesSection(result.files, result.truncated?.files));
  }
  const note = result.truncated?.note;
  if (note !== undefined && !isTextWhole(result)) {
    sections.push(section("truncated", note));
  }
  if (result.session !== undefined) {
    sections.push(section("session", result.session));
  }
  return sections.join("\n");
}

/** Whether nothing was cut but a table's JSON, which the text does not show. */
function isTextWhole(result: RunResult): boolean {
  return result.status === "success" && result.shown !== undefined &&
    !isCut(result.shown) && result.truncated?.output === undefined;
}

function filesSection(files: ListedFile[], total?: number): string {
  const lines = files.map(({ path, size, mimeType: type, uri, text }) => {
    const attributes = Object.entries({ path, size, type, uri })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => ` ${name}="${escapeValue(`${value}`)}"`).join("");
    if (text === undefined) return `<file${attributes} />`;
    const safe = escapeTags(text.replace(/\n$/, ""));
    return `<file${attributes}>\n${safe}\n</file>`;
  });
  if (total !== undefined) {
    lines.push(`${total - files.length} more: resources/list has them.`);
  }
  return `<files>\n${lines.join("\n")}\n</files>`;
}

function escapeValue(text: string): string {
  return text.replace(/[&<>"\p{C}]/gu, (char) => `&#${char.codePointAt(0)};`);
}

function section(tag: string, text: string): string {
  return `<${tag}>\n${escapeTags(text)}\n</${tag}>`;
}

/**
 * Escapes the tags of sections in any spelling that a model might take for a tag,
 * invisible characters included. Other `<` stay: code, comparisons, HTML.
 */
function escapeTags(text: string): string {
  return text.replace(
    /<(?=[\s\p{C}/]*(?:status|output|return_value|error|images|files?|truncated|session)\b)/giu,
    "&lt;",
  );
}

/** Writes a value for a reader: JSON, with a line for each item if it is long. */
export function toReadable(value: Json): string {
  if (typeof value === "string") return value;
  const text = JSON.stringify(value);
  const isContainer = typeof value === "object" && value !== null;
  if (text.length <= ONE_LINE || !isContainer) return text;
  const items = Array.isArray(value)
    ? value.map((item) => JSON.stringify(item))
    : Object.entries(value).map(([key, item]) =>
      `${JSON.stringify(key)}: ${JSON.stringify(item)}`
    );
  return `${text.at(0)}\n${items.join(",\n")}\n${text.at(-1)}`;
}
