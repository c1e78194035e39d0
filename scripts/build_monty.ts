/**
 * Builds the interpreter of the engine Monty, `src/engines/monty/monty.wasm.gz`, from
 * `native/monty`, with facts of the build beside it. It needs Rust with the target
 * wasm32-wasip1; the artefact is committed, so that users and tests need none.
 *
 *     deno task build:monty
 */
import { sha256 } from "../src/disk.ts";
import { messageOf } from "../src/errors.ts";
import { log } from "../src/log.ts";
import { gzip, hashFiles } from "./hash_files.ts";

const ROOT = new URL("../", import.meta.url);
export const CRATE: URL = new URL("native/monty/", ROOT);
export const ENGINE: URL = new URL("src/engines/monty/", ROOT);
const TARGET = "wasm32-wasip1";

/** The facts of a build, in `artefact.json`. */
export interface Artefact {
  /** Of the interpreter. */
  version: string;
  /** SHA-256 of all sources of the crate. */
  sources: string;
  /** SHA-256 of the WebAssembly, before it was compressed. */
  wasm: string;
  /** Pages of memory that it wants at least. */
  pages: number;
  /** The compiler: another one makes other bytes. */
  rustc: string;
}

/** SHA-256 of the crate's sources: names and contents, in the order of the names. */
export function hashSources(crate: URL = CRATE): Promise<string> {
  const files = [".cargo/config.toml", "Cargo.lock", "Cargo.toml"];
  return hashFiles(crate, { files, folders: ["src/"] });
}

/** Builds the crate; gives the WebAssembly. */
export async function build(): Promise<Uint8Array<ArrayBuffer>> {
  const home = Deno.env.get("CARGO_HOME") ?? `${Deno.env.get("HOME")}/.cargo`;
  // The artefact must not have paths of this machine.
  const remapped = [[home, "cargo"], [
    CRATE.pathname.replace(/\/$/, ""),
    "monty",
  ]]
    .map(([from, to]) => `"--remap-path-prefix=${from}=${to}"`);
  const { success } = await new Deno.Command("cargo", {
    args: [
      ...["build", "--locked", "--release", "--target", TARGET],
      // The interpreter names a newer Rust than it needs.
      "--ignore-rust-version",
      ...["--config", `target.${TARGET}.rustflags=[${remapped.join(",")}]`],
    ],
    cwd: CRATE,
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("cargo did not build it");
  return await Deno.readFile(
    new URL(`target/${TARGET}/release/mcp_run_python_monty.wasm`, CRATE),
  );
}

/** The pages of the memory that a module imports, by the binary format of WebAssembly. */
export function pagesOf(wasm: Uint8Array): number {
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0;; shift += 7) {
      const byte = wasm[at++] ?? 0;
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  };
  const skip = () => {
    const length = number();
    at += length;
  };
  while (at < wasm.length) {
    const [section, size] = [wasm[at++], number()];
    if (section !== IMPORTS) {
      at += size;
      continue;
    }
    for (let count = number(); count > 0; count--) {
      skip();
      skip();
      const kind = wasm[at++];
      if (kind === 0) number();
      if (kind === MEMORY) {
        at++;
        return number();
      }
    }
  }
  throw new Error("it imports no memory");
}

const IMPORTS = 2;
const MEMORY = 2;

async function outputOf(command: string, ...args: string[]): Promise<string> {
  const { stdout } = await new Deno.Command(command, { args }).output();
  return new TextDecoder().decode(stdout).trim();
}

if (import.meta.main) {
  try {
    const wasm = await build();
    const lock = await Deno.readTextFile(new URL("Cargo.lock", CRATE));
    const [, version = ""] = /name = "monty"\nversion = "(.*?)"/.exec(lock) ??
      [];
    const artefact: Artefact = {
      version,
      sources: await hashSources(),
      wasm: sha256(wasm),
      pages: pagesOf(wasm),
      rustc: await outputOf("rustc", "--version"),
    };
    await Deno.writeFile(
      new URL("monty.wasm.gz", ENGINE),
      await gzip(wasm),
    );
    await Deno.writeTextFile(
      new URL("artefact.json", ENGINE),
      `${JSON.stringify(artefact, null, 2)}\n`,
    );
  } catch (error) {
    log(
      `Cannot build Monty: ${
        messageOf(error)
      }. It needs Rust, with the target of "rustup target add ${TARGET}".`,
    );
    Deno.exit(1);
  }
}
