/**
 * Writes tables of docs/ from rows: those of src/settings.ts, of
 * src/server/shares.ts, and of src/engines/shared/cannot_run.ts.
 * `deno run -A scripts/options_table.ts`
 *
 * @module
 */
import {
  KEPT_RESOURCES,
  type Resource,
  RESOURCES,
} from "../src/server/shares.ts";
import {
  CANNOT_RUN,
  type CannotRun,
} from "../src/engines/shared/cannot_run.ts";
import { OPTIONS } from "../src/settings.ts";
import { EVERY, INSTALLING, type Option } from "../src/settings/option.ts";

/** Pages, and what stands between their markers. */
export const PAGES: { page: URL; tables: () => string }[] = [
  { page: docs("configuration"), tables: () => toTables(OPTIONS) },
  { page: docs("limits"), tables: toSharesTable },
  { page: docs("hints"), tables: toHintsTable },
];

const START = "<!-- tables: written by scripts/options_table.ts -->\n";
const END = "<!-- end of tables -->\n";

function docs(name: string): URL {
  return new URL(`../docs/${name}.md`, import.meta.url);
}

/** The page with the tables that the rows give. */
export function withTables(page: string, tables: string): string {
  const [before, rest = ""] = page.split(START);
  const [, after] = rest.split(END);
  return [before, START, tables, END, after].join("");
}

function toTables(options: readonly Option[]): string {
  const groups = Map.groupBy(options, ({ spec }) => spec.group);
  return [...groups].map(([group, options]) =>
    `\n### ${group}\n\n${toTable([HEADER, ...options.map(toRow)])}`
  ).join("") + "\n";
}

const HEADER = ["option", "default", "meaning", "values", "commands"];

function toRow({ flags, spec, kind, preset, commands }: Option): string[] {
  const usual = spec.default ?? spec.computed ?? spec.usually;
  return [
    `\`${flags}\``,
    preset === undefined ? String(usual ?? "") : "",
    spec.help,
    kind.toml === "number" ? kind.wants : "",
    toNames(commands),
  ].map((cell) => cell.replaceAll("|", "\\|"));
}

function toNames(commands: Option["commands"]): string {
  if (commands === EVERY) return "all";
  return commands === INSTALLING
    ? "all but servers and cache"
    : commands.join(", ");
}

/** A table as `deno fmt` writes it; its first row is the header. */
export function toTable(rows: string[][]): string {
  const [header = []] = rows;
  const widths = header.map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0))
  );
  const toLine = (cells: string[]) => `| ${cells.join(" | ")} |\n`;
  const lines = rows.map((row) =>
    toLine(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)))
  );
  const rule = toLine(widths.map((width) => "-".repeat(width)));
  return lines.toSpliced(1, 0, rule).join("");
}

function toSharesTable(): string {
  const rows: [string, Omit<Resource, "total">][] = [
    ...Object.entries(RESOURCES),
    ...Object.entries(KEPT_RESOURCES),
  ];
  return "\n" + toTable([
    ["resource", "what is counted", "total", "gives way", "finds no room"],
    ...rows.map(([name, { what, usual, gives = "—", refused }]) => [
      ...[`\`${name}\``, what, usual, gives, refused],
    ]),
  ]) + "\n";
}

function toHintsTable(): string {
  const rows: CannotRun[] = Object.values(CANNOT_RUN);
  return "\n" + toTable([
    ["code, or module", "what is said"],
    ...rows.map(({ code = [], modules = [], says }) => [
      [...code, ...modules].map((name) => `\`${name}\``).join(", "),
      says,
    ]),
  ]) + "\n";
}

if (import.meta.main) {
  for (const { page, tables } of PAGES) {
    const written = withTables(await Deno.readTextFile(page), tables());
    await Deno.writeTextFile(page, written);
  }
}
