/**
 * The interpreter of Monty that is committed is the build of the crate's sources.
 *
 * @module
 */
import { assertEquals, assertNotEquals } from "../deps/assert.ts";
import artefact from "../src/engines/monty/artefact.json" with {
  type: "json",
};
import { sha256 } from "../src/disk.ts";
import { log } from "../src/log.ts";
import {
  build,
  CRATE,
  ENGINE,
  hashSources,
  pagesOf,
} from "../scripts/build_monty.ts";
import { tempFolder } from "./support/folder.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";

const REMEDY = "Build it anew: deno task build:monty";

async function readWasm(): Promise<Uint8Array> {
  const file = await Deno.readFile(new URL("monty.wasm.gz", ENGINE));
  const stream = new Blob([file]).stream()
    .pipeThrough(new DecompressionStream("gzip"));
  return await new Response(stream).bytes();
}

Deno.test("monty.wasm.gz was built from the sources of native/monty", async () => {
  assertEquals(artefact.sources, await hashSources(), REMEDY);
  const wasm = await readWasm();
  assertEquals(artefact.wasm, sha256(wasm), REMEDY);
  assertEquals(artefact.pages, pagesOf(wasm), REMEDY);
});

Deno.test("the hash of the sources is another one after any change of them", async () => {
  await using folder = await tempFolder();
  const [crate = ""] = await folder.make("crate");
  const root = new URL(`file://${crate}/`);
  const hashes = new Set<string>();
  const write = async (name: string, text: string) => {
    await Deno.writeTextFile(new URL(name, root), text);
    const hash = await hashSources(root);
    assertNotEquals(hashes.has(hash), true, name);
    hashes.add(hash);
  };
  for (const name of ["src/bridge", ".cargo"]) {
    await Deno.mkdir(new URL(name, root), { recursive: true });
  }
  for (const name of [".cargo/config.toml", "Cargo.lock", "Cargo.toml"]) {
    await Deno.writeTextFile(new URL(name, root), "");
  }
  await write("src/lib.rs", "1");
  await write("src/lib.rs", "2");
  await write("src/bridge/tests.rs", "2");
  await write("Cargo.lock", "3");
  await write(".cargo/config.toml", "4");
});

Deno.test("a build of the sources gives the same bytes again", async () => {
  const rustc = await maybeRustc();
  if (!ALL_ROUNDS || rustc !== artefact.rustc) {
    log(
      ALL_ROUNDS
        ? `skipped: the build is by ${artefact.rustc}, and here is ${rustc}`
        : "skipped: a build takes minutes; TEST_ROUNDS=all makes it",
    );
    return;
  }
  assertEquals(sha256(await build()), artefact.wasm, REMEDY);
});

Deno.test("the crate passes its own tests", async () => {
  if (!ALL_ROUNDS || await maybeRustc() === "no Rust") {
    log("skipped: they take minutes, and need Rust; TEST_ROUNDS=all runs them");
    return;
  }
  const { code } = await new Deno.Command("cargo", {
    args: ["test", "--locked", "--ignore-rust-version"],
    cwd: CRATE,
  }).output();
  assertEquals(code, 0);
});

async function maybeRustc(): Promise<string> {
  try {
    const { stdout } = await new Deno.Command("rustc", { args: ["--version"] })
      .output();
    return new TextDecoder().decode(stdout).trim();
  } catch {
    return "no Rust";
  }
}
