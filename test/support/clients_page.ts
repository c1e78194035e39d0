import { fileURLToPath } from "node:url";
import { CACHE, CLI, POOL } from "./command.ts";

const PAGE = read("docs/clients.md");

/** A block of code of a document. */
export interface CodeBlock {
  /** The heading above it. */
  heading: string;
  code: string;
}

/**
 * Blocks of a language, as they stand on a page.
 *
 * @param page Its text; docs/clients.md by default.
 */
export function codeBlocks(language: string, page: string = PAGE): CodeBlock[] {
  return page.split(/^#+ /m).flatMap((section) => {
    const [heading = ""] = section.split("\n", 1);
    return [...section.matchAll(/^```(\w+)[^\n]*\n([^]*?)^```$/gm)]
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
  const words = [Deno.execPath(), ...args].join(" ");
  return code
    .replace(/npx -y deno@[\d.]+ run -A \/path\/to\/\S+/, words)
    .replace('"npx"', JSON.stringify(Deno.execPath()))
    .replace(
      /"-y", "deno@[\d.]+", "run", "-A", "\/path\/to\/mcp-run-python\/cli.ts"/,
      args.map((arg) => JSON.stringify(arg)).join(", "),
    );
}

/** The text of a document, whose path counts from the clone. */
export function read(document: string): string {
  return Deno.readTextFileSync(
    fileURLToPath(new URL(`../../${document}`, import.meta.url)),
  );
}
