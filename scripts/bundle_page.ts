/**
 * Bundles the page's script into one file, which is committed: a server starts
 * without a build.
 *
 * @module
 */
import { fileURLToPath } from "node:url";

const MAIN = new URL("../src/page/main.ts", import.meta.url);
export const BUNDLE: URL = new URL(
  "../src/page/bundle/page.js",
  import.meta.url,
);

/** Writes the bundle of the sources. */
export async function bundlePage(to: URL): Promise<void> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["bundle", "--quiet", "--platform", "browser", "--minify"],
      ...["--output", fileURLToPath(to), fileURLToPath(MAIN)],
    ],
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("The page cannot be bundled.");
}

if (import.meta.main) await bundlePage(BUNDLE);
