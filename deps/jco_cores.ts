// WebAssembly of jco_bindgen.ts, compressed, which is read by its paths.
export const JCO_CORES: readonly URL[] = ["core1", "core2"].map((name) =>
  new URL(`./jco/bindgen.${name}.wasm.gz`, import.meta.url)
);
export const JCO_LICENSE: URL = new URL("./jco/LICENSE", import.meta.url);
