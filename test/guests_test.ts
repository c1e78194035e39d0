/**
 * The components that are committed are the build of their sources.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import { GUESTS, hashSources } from "../scripts/build_guests.ts";
import { sha256 } from "../src/disk.ts";
import { log } from "../src/log.ts";
import record from "./guests/guests.json" with { type: "json" };
import { tempFolder } from "./support/folder.ts";
import {
  getPythonGuest,
  getServerGuest,
  GUEST_NAMES,
  readGuest,
  SERVER_GUESTS,
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

Deno.test("each guest of the world mcp-wasm:server exports its interfaces", async () => {
  await using folder = await tempFolder();
  for (const name of SERVER_GUESTS) {
    const guest = await getServerGuest(name, folder.path);
    if ("reason" in guest) {
      log(`skipped: the guest in ${name}: ${guest.reason}`);
      continue;
    }
    const bytes = await Deno.readFile(guest.file);
    const text = new TextDecoder("latin1").decode(bytes);
    for (const part of ["tools", "prompts", "resources"]) {
      assert(text.includes(`mcp-wasm:server/${part}@0.1.0`), `${name} ${part}`);
    }
  }
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
