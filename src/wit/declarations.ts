// What types of components and instances have in common with components themselves.
import {
  type Entity,
  type Exports,
  type FunctionEntity,
  Scope,
  type Type,
} from "./scope.ts";
import {
  readDefinition,
  readLabelled,
  readValue,
  toFields,
} from "./value_types.ts";

/** Reads the definition of a type. */
export function readType(scope: Scope): void {
  scope.add({ is: "type", of: toType(scope.reader.byte(), scope) });
}

function toType(code: number, scope: Scope): Type {
  const { reader } = scope;
  switch (code) {
    case 0x40:
      return readFunction(scope);
    case 0x43:
      return { ...readFunction(scope), refused: "it is async" };
    case 0x41:
      return { is: "component", exports: readDeclarations(scope) };
    case 0x42:
      return { is: "instance", exports: readDeclarations(scope) };
    case 0x3f:
      reader.byte();
      reader.maybe(() => reader.u32());
      return { is: "resource", name: "" };
    default:
      return { is: "type of values", value: readDefinition(code, scope) };
  }
}

function readFunction(scope: Scope): FunctionEntity {
  const { reader } = scope;
  const { names, values } = readLabelled(reader, () => readValue(scope));
  const mark = reader.byte();
  const result = mark === 0 ? readValue(scope) : undefined;
  if (mark !== 0) reader.byte();
  const wrong = values.findIndex(({ refused }) => refused);
  const refused = wrong === -1
    ? result?.refused && `its result has ${result.refused}`
    : `its parameter ${names[wrong]} has ${values[wrong]?.refused}`;
  let size = 1 + (result?.size ?? 0);
  for (const value of values) size += 1 + value.size;
  const params = toFields(names, values);
  return {
    is: "function",
    params,
    ...result && { result: result.type },
    size,
    refused,
  };
}

/** Reads what a component or instance of a type has. */
function readDeclarations(outer: Scope): Exports {
  const { reader } = outer;
  const scope = new Scope(reader, outer);
  reader.items(() => {
    const read = DECLARATIONS[reader.byte()];
    if (!read) throw reader.fault("a declaration of an unknown form");
    read(scope);
  });
  return scope.exports;
}

const DECLARATIONS: Readonly<Record<number, (scope: Scope) => void>> = {
  1: readType,
  2: readAlias,
  3: (scope) => readDescribed("import", scope),
  4: (scope) => readDescribed("export", scope),
};

/** Reads an alias: another index of something in an instance, or further out. */
export function readAlias(scope: Scope): void {
  const { reader } = scope;
  const sort = scope.readSort();
  const target = reader.byte();
  const index = reader.u32();
  if (target === 0) {
    const name = reader.text();
    const entity = scope.get("instance", index).exports.get(name);
    if (entity?.is !== sort) throw reader.fault(`no ${sort} ${name}`);
    scope.add(entity);
  } else if (target === 1) {
    // Of a core module.
    reader.text();
  } else if (target === 2) {
    let from: Scope | undefined = scope;
    for (let out = 0; from && out < index; out++) from = from.outer;
    const inner = reader.u32();
    if (!from) throw reader.fault("an alias of something outside it");
    if (sort !== "core") scope.add(from.get(sort, inner));
  } else throw reader.fault("an alias of an unknown form");
}

/** Reads an import, or an export, that only says what it is. */
export function readDescribed(as: "import" | "export", scope: Scope): void {
  scope.addNamed(as, readName(scope), readDescription(scope));
}

/** Reads the name of an import or export. */
export function readName({ reader }: Scope): string {
  if (reader.byte() > 1) throw reader.fault("a name of an unknown form");
  return reader.text();
}

/** Reads what an import or export is: its sort, and its type. */
export function readDescription(scope: Scope): Entity {
  const sort = scope.readSort();
  const first = scope.reader.u32();
  switch (sort) {
    case "core":
      return { is: "core" };
    case "value":
      // An index behind 0, or a type behind 1.
      scope.reader.u32();
      return { is: "value" };
    case "type":
      return first === 1
        ? { is: "type", of: { is: "resource", name: "" } }
        : scope.get("type", scope.reader.u32());
    default:
      return scope.typeAt(first, sort);
  }
}
