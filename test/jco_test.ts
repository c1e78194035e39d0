import { assertEquals } from "../deps/assert.ts";
import record from "../deps/jco/artefact.json" with { type: "json" };
import { JCO, PACKAGES } from "../scripts/build_jco.ts";
import { gunzip } from "../scripts/hash_files.ts";
import { sha256 } from "../src/disk.ts";

Deno.test("the committed parts of jco are those that scripts/build_jco.ts has recorded", async () => {
  assertEquals(record.packages, PACKAGES);
  for (const [name, hash] of Object.entries(record.hashes)) {
    const bytes = name.endsWith(".wasm")
      ? await gunzip(new URL(`${name}.gz`, JCO))
      : await Deno.readFile(new URL(name, JCO));
    assertEquals(sha256(bytes), hash, name);
  }
});
