const PAGE = new URL("../../docs/typescript.md", import.meta.url);

/**
 * The programs of the page about the TypeScript library, which listen on a port
 * that the system picks. A block without an import goes on with the one before.
 *
 * @param language That a block says.
 */
export async function readExamples(language: "ts" | "js"): Promise<string[]> {
  const page = await Deno.readTextFile(PAGE);
  const blocks = [...page.matchAll(/^```(\w+)[^\n]*\n(.*?)^```$/gms)]
    .flatMap(([, named, text = ""]) => named === language ? [text] : []);
  const programs: string[] = [];
  for (const block of blocks) {
    const before = block.startsWith("import") ? "" : programs.pop() ?? "";
    programs.push(before + block.replace("port: 3000", "port: 0"));
  }
  return programs;
}
