import type { Links, SymbolKind } from "../worker/links.ts";
import { linkGlue } from "./link_glue.ts";
import { type Layout, linkWasm } from "./link_wasm.ts";

/** Texts and bytes of Pyodide's files that are linked. */
export interface UnlinkedFiles {
  wasm: Uint8Array;
  /** Emscripten's module. */
  emscripten: string;
  loader: string;
}

export interface LinkedFiles {
  wasm: Uint8Array<ArrayBuffer>;
  /** JavaScript of Emscripten's module and of the loader. */
  glue: string;
  links: Links;
}

/** Emscripten's name for C's `main()`; code finds it by both. */
const MAIN = "__main_argc_argv";

/** Names of graphics functions, which no code of Python calls. */
const GRAPHICS = /gl/i;

/**
 * Links Python's own symbols once, where each start did it anew.
 *
 * @param layout The places that a real start gives to all symbols.
 * @throws {Error} If these files are not as this program knows them.
 */
export function link(
  { wasm, emscripten, loader }: UnlinkedFiles,
  layout: Layout,
): LinkedFiles {
  const { glue, kept } = linkGlue(emscripten, loader);
  const linked = linkWasm(wasm, layout, kept);
  const main = linked.functions.get(MAIN);
  if (main !== undefined) linked.functions.set("main", main);
  const { tableLength } = linked;
  const all: [SymbolKind, Map<string, number>][] = [
    ["f", linked.functions],
    ["d", linked.data],
    ["s", linked.scripted],
  ];
  const symbols = all.flatMap(([kind, places]) =>
    [...places].map(([name, place]) => ({ name, line: `${kind}${place}` }))
  ).sort((a, b) => a.name < b.name ? -1 : 1);
  const lines = symbols.map(({ name, line }) => `${name} ${line}\n`).join("");
  const scripted = [...linked.scripted]
    .filter(([name]) => !GRAPHICS.test(name))
    .map(([name, place]): [number, string] => [place, name]);
  return {
    wasm: linked.wasm,
    glue,
    links: { symbols: lines, tableLength, scripted },
  };
}
