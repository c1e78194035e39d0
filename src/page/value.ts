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
  const isTree = typeof value === "object" && value !== null;
  // Readable JSON is longer, and takes longer to write.
  if (isTree && JSON.stringify(value).length > SHORT_TEXT) {
    return { element: showTree(value), isLong: true };
  }
  const text = typeof value === "string" ? value : toReadable(value);
  const isLong = text.length > SHORT_TEXT;
  if (isLong && isTree) return { element: showTree(value), isLong };
  const look = isLong ? { className: "long", tabIndex: 0 } : {};
  return { element: longText(text, look), isLong };
}
