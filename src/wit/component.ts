import {
  readAlias,
  readDescribed,
  readDescription,
  readName,
  readType,
} from "./declarations.ts";
import type { Reader } from "./reader.ts";
import { type Entity, type Exports, Scope } from "./scope.ts";

/** The bytes before a component's sections. */
export const PREAMBLE = [0x00, 0x61, 0x73, 0x6d, 0x0d, 0x00, 0x01, 0x00];

/** Reads the sections of a component, and of the components in it. */
export function readComponent(reader: Reader, outer?: Scope): Scope {
  const scope = new Scope(reader, outer);
  readSections(scope, (id) => readSection(id, scope));
  return scope;
}

/** Reads sections: custom ones are alike in components and core modules. */
function readSections(scope: Scope, read?: (id: number) => void): void {
  const { reader } = scope;
  while (reader.left > 0) {
    const id = reader.byte();
    reader.part(() => {
      if (id !== 0) read?.(id);
      else if (reader.text() === "package-docs") {
        scope.docs.push(reader.take(reader.left));
      }
    });
  }
}

/** What reads the items of each section. */
const ITEMS: Readonly<Record<number, (scope: Scope) => void>> = {
  5: readInstance,
  6: readAlias,
  7: readType,
  8: readCanon,
  10: (scope) => readDescribed("import", scope),
  11: readExport,
};

/** Core instances, core types, and the start function. */
const PASSED_OVER = [2, 3, 9];

function readSection(id: number, scope: Scope): void {
  const { reader } = scope;
  const read = ITEMS[id];
  if (read) reader.items(() => read(scope));
  else if (id === 1) {
    reader.take(PREAMBLE.length);
    readSections(scope);
  } else if (id === 4) {
    if (PREAMBLE.some((byte) => reader.byte() !== byte)) {
      throw reader.fault("a component without its first bytes");
    }
    const { exports } = readComponent(reader, scope);
    scope.add({ is: "component", exports });
  } else if (!PASSED_OVER.includes(id)) throw reader.fault(`a section ${id}`);
}

/**
 * Reads an instance. What its component is given is passed over: the component
 * says itself of which types its imports are.
 */
function readInstance(scope: Scope): void {
  const { reader } = scope;
  let exports: Exports;
  if (reader.byte() === 0) {
    ({ exports } = scope.get("component", reader.u32()));
    reader.items(() => [reader.text(), readEntity(scope)]);
  } else {
    exports = new Map(
      reader.items(() => [readName(scope), readEntity(scope)]),
    );
  }
  scope.add({ is: "instance", exports });
}

function readExport(scope: Scope): void {
  const name = readName(scope);
  const entity = readEntity(scope);
  const described = scope.reader.maybe(() => readDescription(scope));
  scope.addNamed("export", name, described ?? entity);
}

/** Reads a sort and an index. */
function readEntity(scope: Scope): Entity {
  const sort = scope.readSort();
  const index = scope.reader.u32();
  return sort === "core" ? { is: "core" } : scope.get(sort, index);
}

/**
 * How many numbers follow the code of each canonical function: the code is the place in
 * this list. With an o, options are behind them.
 */
const CANON = (
  "2o 2o 1 1 1 0 1 1 1 2o 2 2 1 0 1 1o 1o 2 2 " +
  "1 1 1 1o 1o 2 2 1 1 0o 0o 0 0 2 2 0 0 0 0"
).split(" ");

/** Reads a canonical function; of those, `lift` alone makes a function of a component. */
function readCanon(scope: Scope): void {
  const { reader } = scope;
  const code = reader.byte();
  const [numbers, options] = CANON[code] ?? [];
  if (numbers === undefined) {
    throw reader.fault(`the canonical function 0x${code.toString(16)}`);
  }
  for (let left = Number(numbers); left > 0; left--) reader.u32();
  if (options) reader.items(() => readOption(reader));
  if (code === LIFT) scope.add(scope.typeAt(reader.u32(), "function"));
}

const LIFT = 0;

function readOption(reader: Reader): void {
  const code = reader.byte();
  if (code > 9) throw reader.fault(`the option 0x${code.toString(16)}`);
  if ([3, 4, 5, 7, 8].includes(code)) reader.u32();
}
