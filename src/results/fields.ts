import type { Json, ListedFile, RunResult } from "../protocol/run_result.ts";
import { isCut } from "./cut.ts";
import { describeImage, ENDINGS } from "./result_images.ts";
import { describePage } from "./result_pages.ts";

/** JSON Schema of a value. */
type Schema = Readonly<Record<string, Json>>;

/** A field of a result in each of its forms; undefined, or no lines, without it. */
interface Field {
  /** Describes its JSON. */
  schema: Schema;
  /** For programs, of both contracts. */
  toJson(result: RunResult): Json | undefined;
  /** A section of the text of `run_python_code`. */
  toXml(result: RunResult): string | undefined;
  /** Lines of the text of `run_python`. */
  toLines(result: RunResult): string[];
}

/** The fields that all forms of a result have, in their order; each names its key. */
export const FIELDS = {
  return_value: {
    schema: {
      description:
        'Value of the last expression as JSON, null for None. Only on success. If truncated.return_value is there, a large value, or a large part of it, is summed up as {"type", "length" or "shape", "head", "tail"}.',
    },
    toJson: (result) =>
      result.status === "success" ? result.returnValue : undefined,
    toXml(result) {
      if (result.status !== "success" || result.returnValue === null) return;
      return result.returnValue === ""
        ? "<return_value></return_value>"
        : section("return_value", toShown(result));
    },
    toLines(result) {
      if (result.status !== "success" || result.returnValue === null) return [];
      const text = result.returnValue === "" ? '""' : toShown(result);
      // The columns of a table begin at the left.
      return [`return_value:${text.includes("\n") ? "\n" : " "}${text}`];
    },
  },
  images: {
    schema: list(
      object({
        uri: text("Names it."),
        mimeType: { type: "string", enum: Object.keys(ENDINGS) },
        size: count("Bytes."),
      }),
      "Pictures that were shown; absent if none was. They are blocks of the content, in this order after the text.",
    ),
    toJson: ({ images }) =>
      images?.map(({ uri, mimeType, size }) => ({ uri, mimeType, size })),
    toXml: ({ images }) =>
      images && section("images", images.map(describeImage).join("\n")),
    toLines: ({ images = [] }) =>
      images.map((image) => `image: ${describeImage(image)}`),
  },
  pages: {
    schema: list(
      object(
        { uri: text(), about: text(), size: count("Bytes.") },
        { title: text() },
      ),
      "HTML that was shown, such as charts; absent if none was. MCP resources have it.",
    ),
    toJson: ({ pages }) =>
      pages?.map(({ uri, title, about, size }) => ({
        uri,
        ...title === "" ? {} : { title },
        about,
        size,
      })),
    toXml: ({ pages }) =>
      pages && section("pages", pages.map(describePage).join("\n")),
    toLines: ({ pages = [] }) =>
      pages.map((page) => `page: ${describePage(page)}`),
  },
  files: {
    schema: list(
      object({
        path: text(),
        size: count("In bytes."),
        mimeType: text("By its name: a guess."),
      }, {
        uri: text(
          "MCP resource to read it by; absent if it was too large to keep.",
        ),
        text: text("All of it, if it is small."),
      }),
      "Files that the code wrote to /workspace; absent if there are none.",
    ),
    toJson: ({ files }) => files?.map((file) => ({ ...file })),
    toXml({ files = [], truncated }) {
      if (files.length === 0) return;
      const start = startOf(files);
      const lines = files.map(({ path, size, mimeType: type, uri, text }) => {
        const own = uri === start + path ? undefined : uri;
        const attributes = Object.entries({ path, size, type, uri: own })
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => ` ${name}="${escapeValue(`${value}`)}"`);
        const tag = `file${attributes.join("")}`;
        if (text === undefined) return `<${tag} />`;
        return `<${tag}>\n${escapeTags(text.replace(/\n$/, ""))}\n</file>`;
      });
      if (truncated?.files !== undefined) {
        const more = truncated.files - files.length;
        lines.push(`${more} more: resources/list has them.`);
      }
      const tag = start === "" ? "files" : `files uri="${start}"`;
      return `<${tag}>\n${lines.join("\n")}\n</files>`;
    },
    toLines({ files = [], truncated }) {
      const start = startOf(files);
      const lines = files.flatMap(({ path, size, uri, text }) => {
        const own = uri === undefined || uri === start + path ? "" : `, ${uri}`;
        return [
          `file: ${path} (${size} bytes${own})`,
          ...(text === undefined ? [] : [text.replace(/\n$/, "")]),
        ];
      });
      if (start !== "") lines.unshift(`files: at ${start}`);
      const more = (truncated?.files ?? 0) - files.length;
      if (more > 0) lines.push(`files: ${more} more, in resources/list`);
      return lines;
    },
  },
  truncated: {
    schema: {
      ...object({}, {
        output: count("Characters printed, before the cut."),
        return_value: count(
          "Characters of the return value, at least, before it was summed up or cut.",
        ),
        error: count("Characters of the error, before the cut."),
        files: count("Files written, of which the first are listed."),
        uri: text("MCP resource with the whole result, up to larger limits."),
        note: text("How to read on."),
      }),
      description: "The parts that were cut; absent if none was.",
    },
    toJson: ({ truncated }) => truncated && { ...truncated },
    toXml(result) {
      const note = result.truncated?.note;
      if (note === undefined || isTextWhole(result)) return;
      return section("truncated", note);
    },
    toLines: ({ truncated: { note } = {} }) =>
      note === undefined ? [] : [`truncated: ${note}`],
  },
  session: {
    schema: text(
      "Handle of the session, for the next call; absent without a session.",
    ),
    toJson: ({ session }) => session,
    toXml: ({ session }) =>
      session === undefined ? undefined : section("session", session),
    toLines: ({ session }) =>
      session === undefined ? [] : [`session: ${session}`],
  },
  resumed: {
    schema: text(
      "Says that the session went on from an older state, or from nothing, before this code ran, and which or why; absent if it did not.",
    ),
    toJson: ({ resumed }) => resumed,
    toXml: ({ resumed }) =>
      resumed === undefined ? undefined : section("resumed", resumed),
    toLines: ({ resumed }) =>
      resumed === undefined ? [] : [`resumed: ${resumed}`],
  },
  unsaved: {
    schema: text(
      "Says once why the session could not be saved, and the remedy; absent otherwise.",
    ),
    toJson: ({ unsaved }) => unsaved,
    toXml: ({ unsaved }) =>
      unsaved === undefined ? undefined : section("unsaved", unsaved),
    toLines: ({ unsaved }) =>
      unsaved === undefined ? [] : [`unsaved: ${unsaved}`],
  },
} satisfies Record<string, Field>;

export type Told = { [Key in keyof typeof FIELDS]?: Json };

/** The fields that a result has, for programs. */
export function toTold(result: RunResult): Told {
  return Object.fromEntries(
    Object.entries(FIELDS).map(([key, field]) => [key, field.toJson(result)])
      .filter(([, value]) => value !== undefined),
  );
}

/**
 * The start of the addresses of several files, which stands once before them; empty
 * if some have no address.
 */
function startOf(files: readonly ListedFile[]): string {
  if (files.length < 2 || files.some(({ uri }) => !uri)) return "";
  return /^run-python:\/\/[\w.-]+\//.exec(files[0]?.uri ?? "")?.[0] ?? "";
}

export function text(description?: string): Schema {
  return {
    type: "string",
    ...description === undefined ? {} : { description },
  };
}

function count(description: string): Schema {
  return { type: "integer", description };
}

export function list(items: Schema, description: string): Schema {
  return { type: "array", items, description };
}

export function object(
  properties: Record<string, Schema>,
  optional: Record<string, Schema> = {},
) {
  const required = Object.keys(properties);
  return {
    type: "object" as const,
    properties: { ...properties, ...optional },
    ...required.length > 0 ? { required } : {},
  };
}

export function section(tag: string, text: string): string {
  return `<${tag}>\n${escapeTags(text)}\n</${tag}>`;
}

/**
 * Escapes the tags of sections in any spelling that a model might take for a tag,
 * invisible characters included. Other `<` stay: code, comparisons, HTML.
 */
function escapeTags(text: string): string {
  return text.replace(TAGS, "&lt;");
}

const NAMES = [
  ...["status", "output", "error", "file", "run"],
  ...Object.keys(FIELDS),
];
const TAGS = new RegExp(`<(?=[\\s\\p{C}/]*(?:${NAMES.join("|")})\\b)`, "giu");

function escapeValue(text: string): string {
  return text.replace(/[&<>"\p{C}]/gu, (char) => `&#${char.codePointAt(0)};`);
}

/** Whether nothing was cut but a table's JSON, which the text does not show. */
function isTextWhole(result: RunResult): boolean {
  return result.status === "success" && result.shown !== undefined &&
    !isCut(result.shown) && result.truncated?.output === undefined;
}

/** Writes a value for a reader: a table as Python prints it. */
export function toShown(
  { shown, returnValue }: RunResult & { status: "success" },
): string {
  return shown ?? toReadable(returnValue);
}

/** Writes a value as JSON, with a line for each item if it is long. */
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

/** Characters of a value that stands in one line. */
const ONE_LINE = 400;
