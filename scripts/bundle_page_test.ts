import { gzipSync } from "node:zlib";
import { assert } from "../deps/assert.ts";
import { BUNDLES } from "./bundle_page.ts";

for (const { url, most, make } of BUNDLES) {
  const path = url.pathname.slice(url.pathname.indexOf("/src/") + 1);
  Deno.test(`the committed ${path} is that of its sources, and small`, async () => {
    const [made, committed] = [await make(), await Deno.readTextFile(url)];
    // Not the texts, of which a failure would print 400 KB.
    assert(
      made === committed,
      "Run deno task page, and commit what it writes.",
    );
    const { length } = gzipSync(made, { level: 9 });
    assert(length > 1000 && length <= most, `${length} bytes after gzip`);
  });
}
