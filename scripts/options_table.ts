/**
 * Writes the tables of docs/configuration.md from the rows of src/settings.ts:
 * `deno run -A scripts/options_table.ts`.
 *
 * @module
 */
import { OPTIONS } from "../src/settings.ts";
import { EVERY, INSTALLING, type Option } from "../src/settings/option.ts";

export const PAGE = new URL("../docs/configuration.md", import.meta.url);

const START = "<!-- tables: written by scripts/options_table.ts -->\n";
const END = "<!-- end of tables -->\n";

/** The page with the tables that the rows give. */
export function withTables(page: string): string {
  const [before, rest = ""] = page.split(START);
  const [, after] = rest.split(END);
  return [before, START, toTables(OPTIONS), END, after].join("");
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

if (import.meta.main) {
  await Deno.writeTextFile(PAGE, withTables(await Deno.readTextFile(PAGE)));
}
