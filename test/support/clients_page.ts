import { fileURLToPath } from "node:url";
import { CACHE, CLI, POOL } from "./command.ts";

const PAGE = Deno.readTextFileSync(
  fileURLToPath(import.meta.resolve("../../docs/clients.md")),
);

/** A block of code of docs/clients.md. */
export interface CodeBlock {
  /** The heading above it. */
  heading: string;
  code: string;
}

/** Blocks of a language, as they stand on the page. */
export function codeBlocks(language: string): CodeBlock[] {
  return PAGE.split(/^#+ /m).flatMap((section) => {
    const [heading = ""] = section.split("\n", 1);
    return [...section.matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
      .filter(([, name]) => name === language)
      .map(([, , code = ""]) => ({ heading, code }));
  });
}

/** The cells of each row that begins with this client. */
export function rowsOf(client: string): string[][] {
  return PAGE.split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()))
    .filter(([first = ""]) => first.replaceAll("`", "").startsWith(client));
}

/** Code in which the tests' command stands in the place of the clone's. */
export function withCommand(code: string): string {
  const args = ["run", "-A", CLI, "--cache-dir", CACHE, ...POOL];
  return code
    .replace('"npx"', JSON.stringify(Deno.execPath()))
    .replace(
      /"-y", "deno@[\d.]+", "run", "-A", "\/path\/to\/mcp-run-python\/cli.ts"/,
      args.map((arg) => JSON.stringify(arg)).join(", "),
    );
}
