/**
 * Holds the documents against the tree: their links lead somewhere, and the
 * source files that they name are there.
 *
 * @module
 */
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "../deps/assert.ts";
import { maybe } from "../src/errors.ts";
import { fields } from "../src/protocol/fields.ts";
import { toFileBounds } from "../src/protocol/run_files.ts";
import { openRunPythonCode } from "../src/server/contracts/run_python_code.ts";
import { OPTIONS } from "../src/settings.ts";
import { VERSION } from "../src/version.ts";
import { tempFolder } from "./support/folder.ts";
import { SERVER_SETTINGS } from "./support/request.ts";

const ROOT = fileURLToPath(import.meta.resolve("../"));
const FOLDERS = ["", "docs", "docs/architecture", "docs/internals"];
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
  const files = ["src", "test", "scripts", "deps", "docs", "python"].flatMap((
    folder,
  ) => listFiles(folder));
  files.push("/cli.ts");
  const missing = DOCUMENTS.flatMap((document) =>
    [...read(document).matchAll(/`([\w./-]+\.(?:ts|py))`/g)]
      .map(([, name = ""]) => name)
      .filter((name) => !files.some((file) => file.endsWith(`/${name}`)))
      .map((name) => `${document}: ${name}`)
  );
  assertEquals(missing, []);
});

Deno.test({
  name:
    "README's alias runs the clone's command from a folder of another project",
  ignore: Deno.build.os === "windows",
  async fn() {
    const [alias = ""] = /^alias mcp-run-python=.*$/m.exec(read("README.md")) ??
      [];
    const ours = alias.replace("npx -y deno@2.9.6", Deno.execPath());
    assert(ours !== alias, alias);
    await using other = await tempFolder();
    const imports = { commander: "./none.ts" };
    await Deno.writeTextFile(
      join(other.path, "deno.json"),
      JSON.stringify({ imports, nodeModulesDir: "manual" }),
    );
    // An alias counts from the next line that the shell reads.
    const lines = [ours, `cd '${other.path}'`, "mcp-run-python -V"];
    const { stdout, stderr } = await new Deno.Command("sh", {
      args: ["-c", lines.join("\n")],
      cwd: ROOT,
    }).output();
    const decoder = new TextDecoder();
    assertEquals(
      [decoder.decode(stdout), decoder.decode(stderr)],
      [`${VERSION}\n`, ""],
    );
  },
});

Deno.test("no document breaks a name in code over two lines", () => {
  const broken = DOCUMENTS.flatMap((document) =>
    read(document).replaceAll(/^ *```[^]*?^ *```$/gm, "").split(/\n\n/)
      .flatMap((paragraph) => [...paragraph.matchAll(/`[^`]*`/g)])
      .filter(([code]) => /--\S+\n/.test(code))
      .map(([code]) => `${document}: ${code}`)
  );
  assertEquals(broken, []);
});

Deno.test("docs/clients.md has each status of a result, and each argument of the tool", () => {
  const page = read("docs/clients.md");
  const settings = SERVER_SETTINGS;
  const files = { bounds: toFileBounds(settings) };
  const contract = openRunPythonCode({ settings, files } as never);
  const { inputSchema, outputSchema } = fields(contract?.tool());
  const propertiesOf = (schema: unknown) => fields(fields(schema).properties);
  const statuses = fields(propertiesOf(outputSchema).status).enum;
  assert(Array.isArray(statuses));
  const missing = [...Object.keys(propertiesOf(inputSchema)), ...statuses]
    .filter((name) => !page.includes(`\`${name}\``));
  assertEquals(missing, []);
});

Deno.test("docs/python.md has each field of a result", () => {
  const page = read("docs/python.md");
  const classes = read("python/src/mcp_run_python/_results.py").split(
    /^class /m,
  )
    .slice(1).map((text) => text.split(/^(?:def|@)/m)[0] ?? "");
  const names = classes.flatMap((text) =>
    [...text.matchAll(/^ {4}(\w+): /gm)].map(([, name = ""]) => name)
  );
  assert(names.includes("traceback") && names.includes("shown"), `${names}`);
  assertEquals(names.filter((name) => !page.includes(`\`${name}\``)), []);
});

Deno.test("docs/clients.md shows each client's clone, and the installed command with the same words", () => {
  const [, ...clients] = read("docs/clients.md").split(/^### /m);
  const pairs = clients.flatMap((client) =>
    [...client.matchAll(/^```[^]*?^```\n+(.*(?:\n.+)*)/gm)]
      .filter(([block]) => block.includes("cli.ts"))
      .map(([block, next = ""]) => [
        wordsBehind("cli.ts", block),
        next.startsWith("Installed: ") || next.startsWith("Installed:\n")
          ? wordsBehind("mcp-run-python", next)
          : [next],
      ])
  );
  assertEquals(pairs.length, 12);
  for (const [clone, installed] of pairs) assertEquals(installed, clone);
});

/** The words of a command behind its program, in a shell, JSON, Python or TypeScript. */
function wordsBehind(program: string, text: string): string[] {
  const at = text.indexOf(program) + program.length;
  const line = text.slice(at, text.indexOf("stdio", at) + "stdio".length);
  return (line.match(/[\w-][\w,-]*/g) ?? []).filter((word) => word !== "args");
}

Deno.test("documents, the package for Python and the image name one version of Deno", () => {
  const pins = [...DOCUMENTS, "python/pyproject.toml", "Dockerfile"].flatMap(
    (file) =>
      [...read(file).matchAll(/\b(?:deno(?:@|==)|DENO_VERSION=)([\d.]*\d)/g)]
        .map(([, version]) => version),
  );
  assert(pins.length > 5);
  assertEquals([...new Set(pins)].length, 1, pins.join(", "));
});

Deno.test("no document starts the command in another way than README's alias", () => {
  const wrong = DOCUMENTS.flatMap((document) =>
    read(document).split("\n")
      .filter((line) => /run -A (\.\/)?cli\.ts/.test(line))
      .map((line) => `${document}: ${line}`)
  );
  assertEquals(wrong, []);
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

/** Pages that promise nothing that a test could cover. */
const WITHOUT_PROMISES = ["architecture.md", "peers.md", "performance.md"];

Deno.test("docs/internals/capabilities.md names tests that there are, and has each page and each option", () => {
  const list = read("docs/internals/capabilities.md");
  const rows = [...list.matchAll(/^\| (.+?) +\| `([^`]+)`: `([^`]+)` +\|$/gm)];
  const missing = rows.filter(([, , file = "", name = ""]) =>
    !isTest(file) || !read(file).includes(
      file.endsWith(".py") ? `def ${name}(` : name,
    )
  ).map(([row]) => row);
  assertEquals(missing, []);
  // No row has another form, which this test would not read.
  const all = list.split("\n").filter((line) =>
    /^\| (?!capability|-)/.test(line)
  );
  assertEquals(all.length, rows.length);
  const links = [...list.matchAll(/^## \[.*\]\((.*)\)$/gm)].map((
    [, link = ""],
  ) => join("docs/internals", link));
  const pages = DOCUMENTS.filter((path) =>
    dirname(path) === "docs" && !WITHOUT_PROMISES.includes(basename(path))
  );
  assertEquals(links.sort(), [...pages, "README.md"].sort());
  const covered = rows.map(([, capability]) => capability).join("\n");
  const uncovered = OPTIONS.map(({ flag }) => flag).filter((flag) =>
    !new RegExp(`${flag}(?![\\w-])`).test(covered)
  );
  assertEquals(uncovered, []);
});

function isTest(file: string): boolean {
  return /_test\.ts$|^python\/tests\/\w+\.py$/.test(file) &&
    maybe(() => Deno.statSync(join(ROOT, file)).isFile) === true;
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
