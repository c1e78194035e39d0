/// <reference lib="dom" />
import { longText } from "./long_text.ts";
import { toReadable } from "./readable_json.ts";
import { maybeRows } from "./rows.ts";
import { showTable } from "./table_view.ts";
import { showTree } from "./tree_view.ts";

/** A value that a reader sees at a glance. */
const SHORT_TEXT = 600;
const FEW_ROWS = 12;

export interface ShownValue {
  element: HTMLElement;
  /** Whether it would hide what stands below it. */
  isLong: boolean;
}

/**
 * Shows a value of Python's: rows as a table, text as it is, all else as JSON, which
 * is a tree if it is long.
 *
 * @param writeAll Has Python write all rows of a table that was cut.
 */
export function showValue(value: unknown, writeAll?: () => void): ShownValue {
  const rows = maybeRows(value);
  if (rows) {
    const isLong = rows.rows.length > FEW_ROWS;
    return { element: showTable(rows, writeAll), isLong };
  }
  const isText = typeof value === "string";
  const text = isText ? value : toReadable(value);
  const isLong = text.length > SHORT_TEXT;
  if (isLong && typeof value === "object" && value !== null) {
    return { element: showTree(value), isLong };
  }
  const look = isLong ? { className: "long", tabIndex: 0 } : {};
  return { element: longText(text, look), isLong };
}
