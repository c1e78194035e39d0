/**
 * Holds the documents against the tree: their links lead somewhere, and the
 * source files that they name are there.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { assertEquals } from "../deps/assert.ts";

const ROOT = fileURLToPath(import.meta.resolve("../"));
const FOLDERS = ["", "docs", "docs/architecture"];
const DOCUMENTS = FOLDERS.flatMap((folder) =>
  [...Deno.readDirSync(join(ROOT, folder))]
    .filter(({ name }) => name.endsWith(".md"))
    .map(({ name }) => join(folder, name))
);

Deno.test("links of the documents lead to files and headings that are there", () => {
  const broken = DOCUMENTS.flatMap((document) =>
    [...read(document).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = ""]) => link)
      .filter((link) => !/^https?:/.test(link) && !leads(document, link))
      .map((link) => `${document}: ${link}`)
  );
  assertEquals(broken, []);
});

Deno.test("source files that the documents name are in the tree", () => {
  const files = ["src", "test", "scripts", "deps", "docs"].flatMap((folder) =>
    listFiles(folder)
  );
  files.push("/cli.ts");
  const missing = DOCUMENTS.flatMap((document) =>
    [...read(document).matchAll(/`([\w./-]+\.(?:ts|py))`/g)]
      .map(([, name = ""]) => name)
      .filter((name) => !files.some((file) => file.endsWith(`/${name}`)))
      .map((name) => `${document}: ${name}`)
  );
  assertEquals(missing, []);
});

function read(document: string): string {
  return Deno.readTextFileSync(join(ROOT, document));
}

function leads(document: string, link: string): boolean {
  const [path = "", heading] = link.split("#");
  const target = path === "" ? document : join(dirname(document), path);
  try {
    if (heading === undefined) {
      return Deno.statSync(join(ROOT, target)) !== null;
    }
    return toAnchors(read(target)).includes(heading);
  } catch {
    return false;
  }
}

/** Names that a heading gets on the usual hosts. */
function toAnchors(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(
      " ",
      "-",
    )
  );
}

/** Paths with a slash before each, so that a name alone is one's end. */
function listFiles(folder: string): string[] {
  return [...Deno.readDirSync(join(ROOT, folder))].flatMap((entry) =>
    entry.isDirectory
      ? listFiles(`${folder}/${entry.name}`)
      : [`/${folder}/${entry.name}`]
  );
}
