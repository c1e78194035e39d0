/**
 * Bundles the scripts of the page and of the MCP App, each into one file, which is
 * committed: a server starts without a build.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { tempFolder } from "../test/support/folder.ts";

const SOURCES = new URL("../src/", import.meta.url);

/** A file that is committed, and the most bytes it may have, as they are sent. */
interface Bundle {
  url: URL;
  most: number;
  make(): Promise<string>;
}

/** Bytes after gzip: a chat may load the app for each call. */
const MOST = 150_000;

export const BUNDLES: readonly Bundle[] = [
  {
    url: new URL("page/bundle/page.js", SOURCES),
    most: MOST + 10_000,
    make: () => bundle("page/main.ts"),
  },
  {
    url: new URL("app/bundle/app.html", SOURCES),
    most: MOST,
    make: makeApp,
  },
];

/** The app is a page of one file, as a chat loads no others. */
async function makeApp(): Promise<string> {
  const read = (path: string) => Deno.readTextFile(new URL(path, SOURCES));
  const css = await read("page/page.css") + await read("app/app.css");
  // An element of a script ends at the first such word.
  const script = (await bundle("app/main.ts"))
    .replaceAll("</script", "<\\/script");
  return (await read("app/app.html"))
    .replace("<!-- style -->", () => `<style>${css}</style>`)
    .replace(
      "<!-- script -->",
      () => `<script type="module">${script}</script>`,
    );
}

async function bundle(main: string): Promise<string> {
  await using folder = await tempFolder();
  const file = `${folder.path}/main.js`;
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["bundle", "--quiet", "--platform", "browser", "--minify"],
      ...["--output", file, fileURLToPath(new URL(main, SOURCES))],
    ],
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`src/${main} cannot be bundled.`);
  return await Deno.readTextFile(file);
}

if (import.meta.main) {
  for (const { url, make } of BUNDLES) {
    const text = await make();
    await Deno.mkdir(new URL(".", url), { recursive: true });
    await Deno.writeTextFile(url, text);
  }
}
