import { REAL_DEPS } from "./command.ts";
import { codeBlocks, read } from "./documents.ts";

/**
 * The programs of the pages about the TypeScript library, with packages that other
 * tests have, and a port that the system picks. A block without an import goes on
 * with the one before.
 *
 * @param language That a block says.
 */
export function readExamples(language: "ts" | "js"): string[] {
  const pages = ["docs/typescript.md", "docs/libraries.md"].map(read);
  const programs: string[] = [];
  for (const { code } of codeBlocks(language, pages.join("\n"))) {
    const before = code.startsWith("import") ? "" : programs.pop() ?? "";
    programs.push(before + withOurs(code));
  }
  return programs;
}

function withOurs(code: string): string {
  return code.replace("port: 3000", "port: 0")
    .replace('["pydantic"]', JSON.stringify(REAL_DEPS.split(",")));
}
