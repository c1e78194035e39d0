// What code asks of the catalog of tools: data of a hostile guest.
import { fields } from "../../protocol/fields.ts";
import { type Detail, DETAILS } from "../../catalog/describe_tool.ts";

/** Characters of a name. */
const LONGEST_NAME = 1000;
/** Characters of a query. */
const LONGEST_QUERY = 10_000;
/** Tools that a search gives. */
const MOST_HITS = 20;

export interface ListToolsArguments {
  server: string;
  /** The list that Python has; it may be any value. */
  known: unknown;
}

/** @throws {TypeError | RangeError} If they are not right. */
export function parseListTools(data: unknown): ListToolsArguments {
  const { server, known } = fields(data);
  return { server: toText(server, "server", LONGEST_NAME), known };
}

export interface ToolDocsArguments {
  server: string;
  /** Undefined for all. */
  tool?: string;
  detail: Detail;
}

/** @throws {TypeError | RangeError} If they are not right. */
export function parseToolDocs(data: unknown): ToolDocsArguments {
  const { server, tool, detail } = fields(data);
  return {
    server: toText(server, "server", LONGEST_NAME),
    ...(tool === null || tool === undefined
      ? {}
      : { tool: toText(tool, "tool", LONGEST_NAME) }),
    detail: toDetail(detail),
  };
}

export interface SearchToolsArguments {
  query: string;
  limit: number;
  detail: Detail;
}

/** @throws {TypeError | RangeError} If they are not right. */
export function parseSearchTools(data: unknown): SearchToolsArguments {
  const { query, limit, detail } = fields(data);
  const text = toText(query, "query", LONGEST_QUERY);
  if (text.trim() === "") {
    throw new RangeError(
      'Cannot search for "": give words, such as "read file".',
    );
  }
  return { query: text, limit: toLimit(limit), detail: toDetail(detail) };
}

function toText(data: unknown, name: string, longest: number): string {
  if (typeof data !== "string") {
    throw new TypeError(`${name} is not a text; it is a ${typeof data}.`);
  }
  if (data.length <= longest) return data;
  throw new RangeError(
    `${name} has ${data.length} characters, and may have ${longest}.`,
  );
}

function toLimit(data: unknown): number {
  if (typeof data !== "number" || !Number.isInteger(data)) {
    throw new TypeError("limit is not a whole number, such as 5.");
  }
  if (data >= 1 && data <= MOST_HITS) return data;
  throw new RangeError(`limit is ${data}, and may be from 1 to ${MOST_HITS}.`);
}

function toDetail(data: unknown): Detail {
  const detail = DETAILS.find((detail) => detail === data);
  if (detail) return detail;
  throw new RangeError('detail is neither "summary" nor "full".');
}
