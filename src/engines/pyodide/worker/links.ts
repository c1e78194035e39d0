/** Increases whenever linked files, or their use, change. */
export const LINK_FORMAT = 2;

/** Linked JavaScript finds {@linkcode openLinks}'s result by this name, and removes it. */
export const LINKS = "links";

/** The places of Python's symbols, which linked files no longer have. */
export interface Links {
  /**
   * A line for each symbol, in the order of their names: its name, its kind and
   * its place, which is an index of the table or an address in the memory.
   */
  symbols: string;
  /** Entries of the table that belong to Python itself. */
  tableLength: number;
  /** Functions of JavaScript that stand in the table. */
  scripted: [place: number, name: string][];
}

/** The kind of a symbol: a function, data, or a function of JavaScript. */
export type SymbolKind = "f" | "d" | "s";

interface Found {
  kind: SymbolKind;
  place: number;
}

type Table = Pick<WebAssembly.Table, "get">;

interface Imported {
  stub?: boolean;
}

/** The functions that linked JavaScript calls in place of Emscripten's linking. */
export function openLinks({ symbols, tableLength, scripted }: Links) {
  const find = (name: string) => findSymbol(symbols, name);
  return {
    tableLength,
    scripted,
    /** Place of a symbol of WebAssembly; undefined if there is none. */
    placeOf(name: string): number | undefined {
      const symbol = find(name);
      return symbol?.kind === "s" ? undefined : symbol?.place;
    },
    /**
     * Lets these objects give each symbol when it is asked for.
     *
     * @param module Has symbols after an underscore.
     * @param imports Of the libraries to come: functions, and globals of data.
     * @param offsets The global offset table.
     * @param exports The few that are left, which libraries may import.
     */
    connect(
      module: { wasmTable: Table },
      imports: Record<string, Imported>,
      offsets: Record<string, WebAssembly.Global>,
      exports: Record<string, Imported>,
    ): void {
      for (const [name, { stub }] of Object.entries(imports)) {
        if (stub && find(name)) delete imports[name];
      }
      for (const [name, value] of Object.entries(exports)) {
        imports[name] ??= value;
      }
      const toFunction = (place: number) => module.wasmTable.get(place);
      inherit(module, (name) => {
        const symbol = name[0] === "_" ? find(name.slice(1)) : undefined;
        if (symbol?.kind === "f") return toFunction(symbol.place);
        return symbol?.kind === "d" ? symbol.place : undefined;
      });
      inherit(imports, (name) => {
        const symbol = find(name);
        if (symbol?.kind === "f") return toFunction(symbol.place);
        return symbol?.kind === "d" ? { value: symbol.place } : undefined;
      });
      inherit(offsets, (name) => {
        const symbol = find(name);
        return symbol && (offsets[name] = new WebAssembly.Global(
          { value: "i32", mutable: true },
          symbol.place,
        ));
      });
    },
  };
}

/** Gives an object properties that are made when they are asked for. */
function inherit(heir: object, make: (name: string) => unknown): void {
  const maybeMake = (name: string | symbol) =>
    typeof name === "string" && !(name in Object.prototype)
      ? make(name)
      : undefined;
  Object.setPrototypeOf(
    heir,
    new Proxy(Object.freeze({}), {
      get: (target, name, receiver) =>
        maybeMake(name) ?? Reflect.get(target, name, receiver),
      has: (target, name) =>
        maybeMake(name) !== undefined || Reflect.has(target, name),
    }),
  );
}

/** Searches the lines by halves: most interpreters ask for a few of thousands. */
function findSymbol(lines: string, name: string): Found | undefined {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const start = lines.lastIndexOf("\n", (low + high) / 2 - 1) + 1;
    const end = lines.indexOf("\n", start);
    const space = lines.indexOf(" ", start);
    const found = lines.slice(start, space);
    if (found === name) {
      const kind = lines[space + 1] as SymbolKind;
      return { kind, place: Number(lines.slice(space + 2, end)) };
    }
    if (found < name) low = end + 1;
    else high = start;
  }
}
