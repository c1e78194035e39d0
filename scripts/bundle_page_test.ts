import { pathToFileURL } from "node:url";
import { assert } from "../deps/assert.ts";
import { BUNDLE, bundlePage } from "./bundle_page.ts";

Deno.test("the committed script of the page is that of its sources", async () => {
  const file = await Deno.makeTempFile({ suffix: ".js" });
  await bundlePage(pathToFileURL(file));
  const [made, committed] = await Promise.all(
    [file, BUNDLE].map((one) => Deno.readTextFile(one)),
  );
  await Deno.remove(file);
  // Not the texts, of which a failure would print 400 KB.
  assert(made === committed, "Run deno task page, and commit what it writes.");
  assert(made?.length && made.length < 500_000, `${made?.length} characters`);
});
