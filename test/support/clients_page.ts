import { COMMAND_LINE } from "./command.ts";
import { read } from "./documents.ts";

/** The text of docs/clients.md. */
export const PAGE: string = read("docs/clients.md");

/** The cells of each row that begins with this client. */
export function rowsOf(client: string): string[][] {
  return PAGE.split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()))
    .filter(([first = ""]) => first.replaceAll("`", "").startsWith(client));
}

/** Code in which the tests' command stands in the place of the clone's. */
export function withCommand(code: string): string {
  const [deno, ...args] = COMMAND_LINE;
  return code
    .replace(
      /npx -y deno@[\d.]+ run -A \/path\/to\/\S+/,
      COMMAND_LINE.join(" "),
    )
    .replace('"npx"', JSON.stringify(deno))
    .replace(
      /"-y", "deno@[\d.]+", "run", "-A", "\/path\/to\/mcp-run-python\/cli.ts"/,
      args.map((arg) => JSON.stringify(arg)).join(", "),
    );
}
