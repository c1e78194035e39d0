/// <reference lib="dom" />
import { element, note, table } from "./elements.ts";

const MOST_ROWS = 200;
const MOST_COLUMNS = 30;

/** Shows a value of Python's: rows as a table, text as it is, all else as JSON. */
export function showValue(value: unknown): HTMLElement {
  const columns = maybeColumns(value);
  if (!columns || !Array.isArray(value)) {
    const isText = typeof value === "string";
    return element("pre", {}, isText ? value : JSON.stringify(value, null, 2));
  }
  const rows = value.slice(0, MOST_ROWS)
    .map((row) => columns.map((name) => toText(row[name])));
  const left = value.length - rows.length;
  const more = left > 0 ? [note(`and ${left} more rows`)] : [];
  return element("div", { className: "value" }, table(columns, rows), ...more);
}

/** The names that all rows have; undefined if the value is not a list of rows. */
export function maybeColumns(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const names = Object.keys(Object(value[0]));
  const isScalar = (one: unknown) => typeof one !== "object" || one === null;
  const isRow = (row: unknown) =>
    !isScalar(row) && !Array.isArray(row) &&
    Object.keys(Object(row)).length === names.length &&
    names.every((name) => Object.hasOwn(Object(row), name)) &&
    Object.values(Object(row)).every(isScalar);
  const fits = names.length > 0 && names.length <= MOST_COLUMNS;
  return fits && value.every(isRow) ? names : undefined;
}

function toText(value: unknown): string {
  return value === null ? "" : String(value);
}
