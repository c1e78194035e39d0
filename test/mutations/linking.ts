import type { Mutation } from "./mutation.ts";

const RUNTIME = { tests: ["test/linking_test.ts"], filter: "linkRuntime" };
const PRELOADING = {
  tests: ["test/preload_test.ts"],
  filter: "fail with linked files",
};

/** Linked files are used only if they give what Pyodide's own give. */
export const LINKING: readonly Mutation[] = [
  {
    name: "a worker imports any JavaScript that a cache brings",
    file: "src/engines/pyodide/known_glue.ts",
    text: "return KNOWN.includes(await hashOf(bytes));",
    replacement: "return KNOWN.length > 0 && bytes.length > 0;",
    tests: ["test/linking_test.ts"],
    filter: "cache brings",
  },
  {
    ...RUNTIME,
    name: "the places of symbols are not compared with those of a start",
    file: "src/engines/pyodide/linking/link_wasm.ts",
    text: "if (placeOf(layout, symbol) === place) continue;",
    replacement: "if (placeOf(layout, symbol) !== undefined) continue;",
  },
  {
    ...RUNTIME,
    name: "linked files may give other answers",
    file: "src/installer/link_runtime.ts",
    text: "if (answer !== right) throw",
    replacement: "if (!answer) throw",
  },
  {
    ...RUNTIME,
    name: "linked files that fail are used",
    file: "src/installer/link_runtime.ts",
    text: `.catch(leave("Linked files do not work"));`,
    replacement: ".catch(() => {});",
  },
  {
    name: "a text of Pyodide that stands twice is changed once",
    file: "src/engines/pyodide/linking/link_glue.ts",
    text: "after !== undefined && more === undefined",
    replacement: "after !== undefined",
    tests: ["src/engines/pyodide/linking/link_glue_test.ts"],
  },
  {
    ...PRELOADING,
    name: "packages are not tried with linked files",
    file: "src/preloader/main.ts",
    text: "if (!isLinked || modules.length === 0) return undefined;",
    replacement: "if (isLinked || modules.length === 0) return undefined;",
  },
  {
    ...PRELOADING,
    name: "packages that fail with linked files keep them",
    file: "src/installer/install_packages.ts",
    text:
      "    if (made.unlinked !== undefined) await unlink(draft, made.unlinked);\n",
    replacement: "",
  },
];
