import { LINKS } from "../worker/links.ts";

/** Pyodide's JavaScript for linked WebAssembly. */
export interface LinkedGlue {
  /** A module that exports `loadPyodide()`, and Emscripten's function as its default. */
  glue: string;
  /** Exports of the WebAssembly that this JavaScript reads. */
  kept: Set<string>;
}

/** Exports that side modules import, and that are not in the table. */
const FOR_LIBRARIES = [
  ...["__stack_pointer", "__indirect_function_table"],
  ...["__cpp_exception", "__c_longjmp"],
];

const ASSIGNMENT =
  /^((?:[\w$]+=|Module\["[^"]+"\]=)+)wasmExports\["([^"]+)"\](\.value>>>0)?$/;

/**
 * Changes Emscripten's JavaScript so that it reads the places of symbols when it
 * needs them, and makes no function of each export.
 *
 * @param emscripten Text of `pyodide.asm.mjs`.
 * @param loader Text of `pyodide.mjs`.
 * @throws {Error} If a text is not as this function knows it.
 */
export function linkGlue(emscripten: string, loader: string): LinkedGlue {
  const { text: assigned, read } = withoutUnusedExports(emscripten, loader);
  const patches: [text: string, by: string][] = [
    [
      "var Module=moduleArg;",
      `var Module=moduleArg;var links=Module["${LINKS}"];delete Module["${LINKS}"];`,
    ],
    [
      'mergeLibSymbols(wasmExports,"main");',
      "links.connect(Module,wasmImports,GOT,wasmExports);",
    ],
    [
      "updateGOT(origExports);",
      "for(let[at,name]of links.scripted){let f=wasmImports[name];setWasmTableEntry(at,convertJsFunctionToWasm(f,f.sig));getFunctionAddress(f);functionsInTableMap.set(f,at)}",
    ],
    // Those of the main module are found by their name.
    [
      "updateTableMap(0,wasmTable.length)}",
      "updateTableMap(links.tableLength,wasmTable.length-links.tableLength)}",
    ],
    [
      "newSymIndex=Object.keys(lib.exports).indexOf(symbol);",
      "if(lib.exports===wasmImports){let at=links.placeOf(symbol);if(at!==undefined)return at}newSymIndex=Object.keys(lib.exports).indexOf(symbol);",
    ],
    // V8 compiles a function in brackets at once, so that Deno's cache keeps it.
    [
      "async function _createPyodideModule(moduleArg={}){",
      "const _createPyodideModule=(async function(moduleArg={}){",
    ],
    [
      "return moduleRtn}export default _createPyodideModule;",
      "return moduleRtn});export default _createPyodideModule;",
    ],
  ];
  let glue = assigned;
  for (const [text, by] of patches) glue = replaceOnce(glue, text, by);
  return {
    glue: `${glue}\n${loader.replace(/\n\/\/# sourceMappingURL=.*/, "")}`,
    kept: new Set([...read, ...FOR_LIBRARIES]),
  };
}

/** Leaves out the names of exports that neither text reads. */
function withoutUnusedExports(
  emscripten: string,
  loader: string,
): { text: string; read: string[] } {
  const [before, body, after] = cutOut(
    emscripten,
    "function assignWasmExports(wasmExports){",
    "}var wasmImports",
  );
  const declared = before.lastIndexOf("var ");
  const rest = before.slice(0, declared) + after;
  const names = new Set(`${rest} ${loader}`.match(/[\w$]+/g));
  const direct = [...rest.matchAll(/wasmExports(?:\["|\.)([\w$]+)/g)]
    .map(([, name = ""]) => name);
  const used = body.split(";").filter(Boolean).map((statement) => {
    const [, targets, name] = ASSIGNMENT.exec(statement) ?? [];
    if (targets === undefined || name === undefined) {
      throw new Error(`Cannot read the export "${statement.slice(0, 80)}"`);
    }
    const variables = targets.match(/[\w$]+(?==)/g) ?? [];
    const aliases = [...targets.matchAll(/Module\["([^"]+)"\]/g)]
      .map(([, alias = ""]) => alias);
    return { statement, name, variables, aliases };
  }).filter(({ name, variables, aliases }) =>
    direct.includes(name) ||
    [...variables, ...aliases].some((one) => names.has(one))
  );
  const variables = new Set(used.flatMap(({ variables }) => variables));
  const declarations = before.slice(declared + "var ".length)
    .replace(/;$/, "").split(",")
    .filter((name) => variables.has(name) || names.has(name));
  const text = [
    before.slice(0, declared),
    `var ${declarations.join(",")};`,
    "function assignWasmExports(wasmExports){",
    used.map(({ statement }) => statement).join(";"),
    after,
  ].join("");
  return { text, read: [...direct, ...used.map(({ name }) => name)] };
}

function cutOut(
  text: string,
  from: string,
  to: string,
): [before: string, between: string, after: string] {
  const start = text.indexOf(from);
  const end = text.indexOf(to, start);
  if (start < 0 || end < 0) throw new Error(`Cannot find "${from}"`);
  return [
    text.slice(0, start),
    text.slice(start + from.length, end),
    text.slice(end),
  ];
}

function replaceOnce(text: string, part: string, by: string): string {
  const [before, after, more] = text.split(part);
  if (before !== undefined && after !== undefined && more === undefined) {
    return before + by + after;
  }
  throw new Error(
    `"${part.slice(0, 80)}" does not stand once in its JavaScript`,
  );
}
