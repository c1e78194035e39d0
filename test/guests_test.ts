/**
 * The components that are committed are the build of their sources.
 *
 * @module
 */
import { assertEquals } from "../deps/assert.ts";
import { GUESTS, hashSources } from "../scripts/build_guests.ts";
import { sha256 } from "../src/disk.ts";
import { log } from "../src/log.ts";
import record from "./guests/guests.json" with { type: "json" };
import { tempFolder } from "./support/folder.ts";
import {
  getPythonGuest,
  GUEST_NAMES,
  readGuest,
  writeGuest,
} from "./support/guests.ts";

const REMEDY = "Build them anew: deno task build:guests";

Deno.test("the guests were built from their sources", async () => {
  assertEquals(record.sources, await hashSources(), REMEDY);
  for (const name of GUEST_NAMES) {
    const wasm = await readGuest(name);
    const { sha256: expected } = record.components[name];
    assertEquals(sha256(wasm), expected, `${name}: ${REMEDY}`);
  }
});

Deno.test("the folder of built guests has those of the record alone", async () => {
  const built = await Array.fromAsync(
    Deno.readDir(new URL("built/", GUESTS)),
    ({ name }) => name,
  );
  assertEquals(
    built.sort(),
    GUEST_NAMES.map((name) => `${name}.wasm.gz`).sort(),
  );
});

Deno.test("a guest is unpacked into the test's folder", async () => {
  await using folder = await tempFolder();
  const path = await writeGuest("rust", folder.path);
  const bytes = await Deno.readFile(path);
  assertEquals([...bytes.subarray(0, 8)], [0, 97, 115, 109, 13, 0, 1, 0]);
});

Deno.test("the guest in Python is built once", async () => {
  const first = await getPythonGuest();
  if ("reason" in first) return log(`skipped: Python: ${first.reason}`);
  assertEquals(await getPythonGuest(), first);
  using file = await Deno.open(first.file);
  const start = new Uint8Array(8);
  await file.read(start);
  assertEquals([...start], [0, 97, 115, 109, 13, 0, 1, 0]);
});
