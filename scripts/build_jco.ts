/**
 * Bundles the parts of jco that translate a component to JavaScript, and those of its
 * WASI for browsers, into `deps/jco/`, which is committed: the packages themselves pull
 * in 110 MB, of which two parts in a hundred are needed, and WASI for Node would load
 * native code.
 *
 *     deno task build:jco
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256 } from "../src/disk.ts";

export const JCO: URL = new URL("../deps/jco/", import.meta.url);

/** The packages, by their pinned versions. */
export const PACKAGES = {
  "@bytecodealliance/jco-transpile": "0.15.0",
  "@bytecodealliance/preview2-shim": "0.26.1",
};

const FROM = "./node_modules/@bytecodealliance";
const ENTRIES = {
  "bindgen.js":
    `export { $init, generate } from "${FROM}/jco-transpile/vendor/js-component-bindgen-component.js";`,
  "wasi.js":
    `export { createCli } from "${FROM}/preview2-shim/dist/browser/cli.js";
export * as clocks from "${FROM}/preview2-shim/dist/browser/clocks.js";
export * as http from "${FROM}/preview2-shim/dist/browser/http.js";
export * as io from "${FROM}/preview2-shim/dist/browser/io.js";
export * as random from "${FROM}/preview2-shim/dist/browser/random.js";`,
};
const CORES = [
  ...["js-component-bindgen-component.core.wasm"],
  ...["js-component-bindgen-component.core2.wasm"],
];

/** Bundles into a folder; gives the SHA-256 of each file before it is compressed. */
export async function buildJco(to: string): Promise<Record<string, string>> {
  const folder = await Deno.makeTempDir();
  try {
    const wanted = Object.entries(PACKAGES).map((pair) => pair.join("@"));
    await run("npm", [
      ...["install", "--ignore-scripts", "--no-audit", "--no-fund"],
      ...["--prefix", folder, ...wanted],
    ], folder);
    const hashes: Record<string, string> = {};
    for (const [name, text] of Object.entries(ENTRIES)) {
      await Deno.writeTextFile(join(folder, name), text);
      await run(Deno.execPath(), [
        ...["bundle", "--quiet", "--minify", "--platform", "browser"],
        ...["--external", "node:fs/promises", "--output", join(to, name)],
        join(folder, name),
      ], folder);
      hashes[name] = sha256(await Deno.readFile(join(to, name)));
    }
    for (const [index, name] of CORES.entries()) {
      const path = join(folder, FROM, "jco-transpile", "vendor", name);
      const bytes = await Deno.readFile(path);
      const file = `bindgen.core${index + 1}.wasm`;
      hashes[file] = sha256(bytes);
      const packed = new Blob([bytes]).stream()
        .pipeThrough(new CompressionStream("gzip"));
      await Deno.writeFile(join(to, `${file}.gz`), packed);
    }
    const license = join(folder, FROM, "jco-transpile", "LICENSE");
    await Deno.copyFile(license, join(to, "LICENSE"));
    return hashes;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function run(command: string, args: string[], cwd: string) {
  const { success } = await new Deno.Command(command, { args, cwd }).output();
  if (!success) throw new Error(`Cannot run ${command} ${args.join(" ")}`);
}

if (import.meta.main) {
  await Deno.mkdir(JCO, { recursive: true });
  const hashes = await buildJco(fileURLToPath(JCO));
  const facts = { packages: PACKAGES, hashes };
  const file = new URL("artefact.json", JCO);
  await Deno.writeTextFile(file, `${JSON.stringify(facts, null, 2)}\n`);
}
