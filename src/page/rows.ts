/** Rows that are a value of Python's; cells are JSON. */
export interface Rows {
  columns: readonly string[];
  rows: readonly (readonly unknown[])[];
  /** Rows that the value has beyond these, by its own note; 0 if it has all. */
  left: number;
  /** The place of these rows, between others; absent if they come last. */
  gap?: number;
}

const MOST_COLUMNS = 200;

/** The notes of values that were cut, which stand in the place of items. */
const NOTE =
  /^(?:<([\d,]+) more(?: rows)?>|… ([\d,]+) of [\d,]+ items left out …)$/;

/**
 * Reads a value as a table: a list of objects, such as a frame, or a frame's
 * `columns` and `data`. Undefined if it has another form.
 */
export function maybeRows(value: unknown): Rows | undefined {
  if (!Array.isArray(value)) return maybeSplit(value);
  const { items, ...rest } = takeNote(value);
  if (items.length === 0 || !items.every(isObject)) return;
  // An item is cut, too, where the value ends.
  const last = rest.left > 0 && rest.gap === undefined && items.at(-1);
  if (last && items.length > 1 && Object.hasOwn(last, CUT)) {
    items.pop();
    rest.left++;
  }
  const columns = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const cells = items.reduce((sum, item) => sum + Object.keys(item).length, 0);
  const isFull = cells * 2 >= columns.length * items.length;
  if (columns.length === 0 || columns.length > MOST_COLUMNS || !isFull) return;
  const rows = items.map((item) =>
    columns.map((name) => Object.hasOwn(item, name) ? item[name] : null)
  );
  return { columns, rows, ...rest };
}

const CUT = "<cut>";

/** Takes a table whose columns repeat, or have names that are not text. */
function maybeSplit(value: unknown): Rows | undefined {
  if (!isObject(value)) return;
  const { columns, index, data, ...others } = value;
  const isFrame = Array.isArray(columns) && Array.isArray(data) &&
    Object.keys(others).length === 0;
  if (!isFrame || columns.length === 0 || columns.length > MOST_COLUMNS) return;
  const { items, ...rest } = takeNote(data);
  const labels = Array.isArray(index) ? takeNote(index).items : undefined;
  const isRow = (row: unknown): row is unknown[] =>
    Array.isArray(row) && row.length === columns.length;
  if (!items.every(isRow) || items.length === 0) return;
  const names = columns.map(toText);
  return labels?.length === items.length
    ? {
      columns: ["index", ...names],
      rows: items.map((row, at) => [labels[at], ...row]),
      ...rest,
    }
    : { columns: names, rows: items, ...rest };
}

/** Takes the note out of a list that was cut. */
function takeNote(list: readonly unknown[]) {
  const items = [...list];
  const at = items.findLastIndex((item) =>
    typeof item === "string" && NOTE.test(item)
  );
  if (at < 0) return { items, left: 0 };
  const [, more, between] = NOTE.exec(String(items[at])) ?? [];
  items.splice(at, 1);
  const left = Number((more ?? between ?? "").replaceAll(",", ""));
  return { items, left, ...at < items.length ? { gap: at } : {} };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A cell as a reader sees it. */
export function toText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}

/** The places of rows by a column; those without a value come last. */
export function sortBy(
  { rows }: Pick<Rows, "rows">,
  column: number,
  isDown: boolean,
): number[] {
  const cells = rows.map((row) => row[column]);
  const isEmpty = (at: number) => toText(cells[at]) === "";
  const order = Intl.Collator(undefined, { numeric: true });
  const compare = (a: unknown, b: unknown) =>
    typeof a === "number" && typeof b === "number"
      ? a - b
      : order.compare(toText(a), toText(b));
  return [...rows.keys()].sort((a, b) =>
    Number(isEmpty(a)) - Number(isEmpty(b)) ||
    (isDown ? -1 : 1) * compare(cells[a], cells[b])
  );
}

/** The places of rows that have all words, in any of their cells and any case. */
export function filterBy(
  { rows }: Pick<Rows, "rows">,
  words: string,
): number[] {
  const wanted = words.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return [...rows.keys()].filter((at) => {
    const text = (rows[at] ?? []).map(toText).join("\n").toLocaleLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** All rows as CSV (RFC 4180). */
export function toCsv(
  { columns, rows }: Pick<Rows, "columns" | "rows">,
): string {
  const quote = (text: string) =>
    /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  return [columns, ...rows]
    .map((row) => row.map((cell) => quote(toText(cell))).join(",") + "\r\n")
    .join("");
}
