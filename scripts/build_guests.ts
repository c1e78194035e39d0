/**
 * Builds the components that tests call, `test/guests/built`, with facts of the build in
 * `guests.json`. It needs Rust with the target wasm32-wasip1; the components are committed,
 * so that tests need none. The guest in Python is built by the tests that call it.
 *
 *     deno task build:guests
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256 } from "../src/disk.ts";
import { messageOf } from "../src/errors.ts";
import { run } from "../src/launcher/bundling/write_program.ts";
import { log } from "../src/log.ts";
import { GENERATED } from "../test/guests/hostile/generated.ts";
import { gzip, hashFiles } from "./hash_files.ts";

const ROOT = new URL("../", import.meta.url);
export const GUESTS: URL = new URL("test/guests/", ROOT);
const TARGET = "wasm32-wasip1";
const BUILT_IN = fileURLToPath(new URL(".cache/guests/", ROOT));
const QUICKJS = "componentize-qjs@0.4.5";

/** Guests in Rust: their crates. */
const RUST = {
  config: "config",
  liar: "liar",
  rust: "server",
  types: "types",
  wasi: "wasi",
};
/** Those whose doc comments are in their component: a folder of WIT each. */
const WITH_DOCS = ["types"];

/** The facts of a build, in `guests.json`. */
export interface GuestsRecord {
  /** SHA-256 of all sources. */
  sources: string;
  /** Compilers: another one makes other bytes. */
  tools: Record<string, string>;
  /** SHA-256 and length of each component, before it was compressed. */
  components: Record<string, { sha256: string; bytes: number }>;
}

/** SHA-256 of all that the components are made of. */
export function hashSources(guests: URL = GUESTS): Promise<string> {
  const folders = ["wit/", "rust/", "javascript/", "python/", "hostile/"];
  return hashFiles(guests, { files: [], folders });
}

/** Builds all components into a folder; gives their names. */
async function build(to: string): Promise<string[]> {
  const guests = fileURLToPath(GUESTS);
  const crates = join(guests, "rust");
  const cargo = (...args: string[]) =>
    run("cargo", ["build", "--quiet", "--locked", "--release", ...args], {
      cwd: crates,
      env: { CARGO_TARGET_DIR: BUILT_IN },
    });
  await cargo("--package", "componentize");
  const componentize = join(BUILT_IN, "release", "componentize");
  for (const [name, crate] of Object.entries(RUST)) {
    const flags = `target.${TARGET}.rustflags=[${await remap(crates)}]`;
    const crateName = `guest_${crate}`;
    await cargo(
      ...["--target", TARGET, "--package", crateName, "--config", flags],
    );
    await run(componentize, [
      join(BUILT_IN, TARGET, "release", `${crateName}.wasm`),
      join(to, name),
      ...WITH_DOCS.includes(name) ? [join(guests, "wit", name)] : [],
    ]);
  }
  await run(Deno.execPath(), [
    ...[
      "run",
      "-A",
      "--no-lock",
      `npm:${QUICKJS}`,
      "--stub-wasi",
      "--sync",
      "--opt-size",
    ],
    ...["--wit", "wit/mcp-wasm-server.wit", "--world", "server"],
    ...["--js", "javascript/server.js", "--output", join(to, "javascript")],
  ], { cwd: guests });
  const texts = await writeTexts(join(to, "texts"));
  for (const name of texts) {
    await run(componentize, [join(to, "texts", `${name}.wat`), join(to, name)]);
  }
  return [...Object.keys(RUST), "javascript", ...texts].sort();
}

/** Writes the texts of hostile components into a folder; gives their names. */
async function writeTexts(to: string): Promise<string[]> {
  await Deno.mkdir(to);
  const hostile = new URL("hostile/", GUESTS);
  const names = Object.keys(GENERATED);
  for (const [name, toText] of Object.entries(GENERATED)) {
    await Deno.writeTextFile(join(to, `${name}.wat`), toText());
  }
  for await (const { name } of Deno.readDir(hostile)) {
    const [stem = "", ending] = name.split(".");
    if (ending !== "wat") continue;
    await Deno.copyFile(new URL(name, hostile), join(to, name));
    names.push(stem);
  }
  return names;
}

/** Flags of the compiler, so that artefacts have no paths of this machine. */
async function remap(crates: string): Promise<string> {
  const home = Deno.env.get("CARGO_HOME") ?? `${Deno.env.get("HOME")}/.cargo`;
  const sysroot = await run("rustc", ["--print", "sysroot"]);
  return [[home, "cargo"], [crates, "guests"], [sysroot.trim(), "rust"]]
    .map(([from, to]) => `"--remap-path-prefix=${from}=${to}"`).join();
}

if (import.meta.main) {
  const draft = await Deno.makeTempDir();
  try {
    const record: GuestsRecord = {
      sources: await hashSources(),
      tools: {
        rustc: (await run("rustc", ["--version"])).trim(),
        quickjs: QUICKJS,
      },
      components: {},
    };
    const built = new URL("built/", GUESTS);
    await Deno.remove(built, { recursive: true }).catch(() => {});
    await Deno.mkdir(built);
    for (const name of await build(draft)) {
      const wasm = await Deno.readFile(join(draft, name));
      record.components[name] = { sha256: sha256(wasm), bytes: wasm.length };
      await Deno.writeFile(new URL(`${name}.wasm.gz`, built), await gzip(wasm));
    }
    await Deno.writeTextFile(
      new URL("guests.json", GUESTS),
      `${JSON.stringify(record, null, 2)}\n`,
    );
  } catch (error) {
    log(
      `Cannot build the guests: ${
        messageOf(error)
      }. They need Rust, with the target of "rustup target add ${TARGET}".`,
    );
    Deno.exit(1);
  } finally {
    await Deno.remove(draft, { recursive: true });
  }
}
