import { fileURLToPath } from "node:url";

/** The text of a document, whose path counts from the clone. */
export function read(document: string): string {
  return Deno.readTextFileSync(
    fileURLToPath(new URL(`../../${document}`, import.meta.url)),
  );
}

/** A block of code of a document. */
export interface CodeBlock {
  /** The heading above it. */
  heading: string;
  code: string;
}

/** Blocks of a language, as they stand on a page of this text. */
export function codeBlocks(language: string, page: string): CodeBlock[] {
  return page.split(/^#+ /m).flatMap((section) => {
    const [heading = ""] = section.split("\n", 1);
    return [...section.matchAll(/^```(\w+)[^\n]*\n([^]*?)^```$/gm)]
      .filter(([, name]) => name === language)
      .map(([, , code = ""]) => ({ heading, code }));
  });
}
