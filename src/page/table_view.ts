/// <reference lib="dom" />
import { copyText } from "./copy_text.ts";
import { save } from "./downloads.ts";
import { element, note } from "./elements.ts";
import { formatCount as count } from "./locale.ts";
import { filterBy, type Rows, sortBy, toCsv, toText } from "./rows.ts";

/** Rows of a table that is shown whole. */
const SHORT = 30;
const HEAD = 10;
const TAIL = 5;
/** Rows among which a reader needs no filter. */
const FEW = 5;
/** Rows that a button shows more. */
const STEP = 100;
/** Characters of a cell. */
const LONGEST_CELL = 160;

/**
 * Shows a table by its head and tail, sorted by the column that a reader chooses, and
 * of the rows that have the words of a filter.
 *
 * @param writeAll Has Python write all rows, if some did not come.
 */
export function showTable(table: Rows, writeAll?: () => void): HTMLElement {
  const { columns, rows, left, gap } = table;
  const isNumeric = columns.map((_, at) =>
    rows.every((row) => row[at] === null || typeof row[at] === "number")
  );
  let sorted: { column: number; isDown: boolean } | undefined;
  let shown = firstShown(rows.length);
  /** Places of the rows that have the words of the filter. */
  let found = new Set(rows.keys());
  const matches = element("span", { className: "quiet", role: "status" });
  const filter = element("input", {
    className: "filter",
    type: "search",
    placeholder: "Filter",
    ariaLabel: "Show the rows that have these words",
    oninput: () => choose(filter.value),
  });
  const copied = element("button", {
    className: "csv",
    type: "button",
    textContent: "Copy",
    title: "Copies the rows as CSV",
    onclick: () => void copy(),
  });
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
      ...rows.length > FEW ? [filter, matches] : [],
      element("button", {
        className: "csv",
        type: "button",
        textContent: left > 0 ? `CSV of ${count(rows.length)} rows` : "CSV",
        onclick: () => save("table.csv", [toCsv(toFound())]),
      }),
      copied,
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
      {
        ...{ className: "scrolls", tabIndex: 0, role: "group" },
        // A sort is not read out, row by row.
        ...{ ariaLabel: "Table", ariaLive: "off" },
      },
      element("table", {}, element("thead", {}, head), body),
    ),
  );

  function sort(column: number): void {
    const isSame = sorted?.column === column;
    sorted = isSame && sorted?.isDown ? undefined : { column, isDown: isSame };
    show();
  }

  function choose(words: string): void {
    found = new Set(filterBy(table, words));
    shown = firstShown(found.size);
    matches.textContent = found.size < rows.length
      ? `${count(found.size)} rows`
      : "";
    show();
  }

  function order(): number[] {
    const all = sorted
      ? sortBy(table, sorted.column, sorted.isDown)
      : [...rows.keys()];
    return all.filter((at) => found.has(at));
  }

  /** The rows that a reader has chosen, in the order of the value. */
  function toFound(): Pick<Rows, "columns" | "rows"> {
    return { columns, rows: rows.filter((_, at) => found.has(at)) };
  }

  async function copy(): Promise<void> {
    const isCopied = await copyText(toCsv(toFound()));
    copied.textContent = isCopied ? "Copied" : "The browser refuses it";
  }

  function show(): void {
    const listed = order();
    const hidden = Math.max(0, listed.length - shown - TAIL);
    body.replaceChildren(
      ...listed.slice(0, shown).map(toRow),
      ...hidden > 0 ? [toGap(hidden)] : [],
      ...listed.slice(hidden > 0 ? -TAIL : shown).map(toRow),
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
        shown = Math.min(found.size, shown + STEP);
        show();
        const next = body.rows[shown]?.querySelector("button") ??
          body.closest<HTMLElement>(".scrolls");
        next?.focus();
      },
    });
    const colSpan = columns.length + 1;
    return element("tr", {}, element("td", { colSpan }, more));
  }
}

function firstShown(length: number): number {
  return length > SHORT ? HEAD : length;
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
