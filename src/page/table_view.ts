/// <reference lib="dom" />
import { save } from "./downloads.ts";
import { element, note } from "./elements.ts";
import { type Rows, sortBy, toCsv, toText } from "./rows.ts";

/** Rows of a table that is shown whole. */
const SHORT = 30;
const HEAD = 10;
const TAIL = 5;
/** Rows that a button shows more. */
const STEP = 100;
/** Characters of a cell. */
const LONGEST_CELL = 160;

const count = (number: number) => number.toLocaleString("en");

/**
 * Shows a table by its head and tail, sorted by the column that a reader chooses.
 *
 * @param writeAll Has Python write all rows, if some did not come.
 */
export function showTable(table: Rows, writeAll?: () => void): HTMLElement {
  const { columns, rows, left, gap } = table;
  const isNumeric = columns.map((_, at) =>
    rows.every((row) => row[at] === null || typeof row[at] === "number")
  );
  let sorted: { column: number; isDown: boolean } | undefined;
  let shown = rows.length > SHORT ? HEAD : rows.length;
  const headings = columns.map((name, column) => {
    const button = element(
      "button",
      { className: "plain sort", type: "button", onclick: () => sort(column) },
      cutCell(name),
    );
    const className = isNumeric[column] ? "number" : "";
    return element("th", { scope: "col", className }, button);
  });
  const body = element("tbody");
  const head = element("tr", {}, element("td"), ...headings);
  show();
  return element(
    "div",
    { className: "value" },
    element(
      "div",
      { className: "row" },
      element(
        "span",
        { className: "quiet shape" },
        `${count(rows.length + left)} rows × ${columns.length} columns`,
      ),
      element("button", {
        className: "csv",
        type: "button",
        textContent: left > 0 ? `CSV of ${count(rows.length)} rows` : "CSV",
        onclick: () => save("table.csv", [toCsv(table)]),
      }),
      ...left > 0 && writeAll
        ? [element("button", {
          className: "csv",
          type: "button",
          textContent: `CSV of all ${count(rows.length + left)} rows`,
          title: "Runs code that writes them to a file",
          onclick: writeAll,
        })]
        : [],
    ),
    ...left > 0 ? [note(toldOf(left, { gap, writeAll }), "quiet")] : [],
    element(
      "div",
      { className: "scrolls", tabIndex: 0, role: "group", ariaLabel: "Table" },
      element("table", {}, element("thead", {}, head), body),
    ),
  );

  function sort(column: number): void {
    const isSame = sorted?.column === column;
    sorted = isSame && sorted?.isDown ? undefined : { column, isDown: isSame };
    show();
  }

  function show(): void {
    const order = sorted
      ? sortBy(table, sorted.column, sorted.isDown)
      : [...rows.keys()];
    const hidden = Math.max(0, rows.length - shown - TAIL);
    body.replaceChildren(
      ...order.slice(0, shown).map(toRow),
      ...hidden > 0 ? [toGap(hidden)] : [],
      ...order.slice(hidden > 0 ? -TAIL : shown).map(toRow),
    );
    for (const [at, heading] of headings.entries()) {
      const isThis = sorted?.column === at;
      heading.ariaSort = !isThis
        ? "none"
        : sorted?.isDown
        ? "descending"
        : "ascending";
    }
  }

  /** @param at Its place in the value. */
  function toRow(at: number): HTMLElement {
    // Those that did not come are between these.
    const number = gap !== undefined && at >= gap ? at + left : at;
    const cells = (rows[at] ?? []).map((cell, column) => {
      const className = isNumeric[column] ? "number" : "";
      return element("td", { className }, cutCell(toText(cell)));
    });
    const label = element("th", { scope: "row" }, count(number));
    return element("tr", {}, label, ...cells);
  }

  function toGap(hidden: number): HTMLElement {
    const more = element("button", {
      className: "plain",
      type: "button",
      textContent: `⋯ ${count(hidden)} more rows`,
      onclick: () => {
        shown = Math.min(rows.length, shown + STEP);
        show();
        body.rows[shown]?.querySelector("button")?.focus();
      },
    });
    const colSpan = columns.length + 1;
    return element("tr", {}, element("td", { colSpan }, more));
  }
}

function cutCell(text: string): string {
  return text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)}…` : text;
}

/** Says that rows are missing, and how to have them. */
function toldOf(
  left: number,
  { gap, writeAll }: { gap: number | undefined; writeAll: unknown },
): string {
  const which = gap === undefined ? "The last " : "";
  const remedy = writeAll
    ? ""
    : " To have Python write all to a file, end the code of a session with the table's name.";
  return `${which}${
    count(left)
  } rows did not come: a sort is of those that did.${remedy}`;
}
