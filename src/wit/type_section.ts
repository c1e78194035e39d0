import type { Reader } from "./reader.ts";
import {
  type Entity,
  type FunctionType,
  type Named,
  readAlias,
  readName,
  Scope,
} from "./scope.ts";
import type { WitField } from "./types.ts";
import { readDefinedValue, readLabelled, readValue } from "./value_types.ts";

/** Reads the definition of a type. */
export function readType(reader: Reader, scope: Scope): Entity {
  const code = reader.byte();
  switch (code) {
    case 0x40:
      return { is: "function", type: readFunction(reader, scope) };
    case 0x43:
      readFunction(reader, scope);
      return { is: "function", type: { refused: "it is async" } };
    case 0x41:
      return { is: "component", exports: readDeclarations(reader, scope) };
    case 0x42:
      return { is: "instance", exports: readDeclarations(reader, scope) };
    case 0x3f:
      reader.byte();
      reader.maybe(() => reader.u32());
      return { is: "resource", name: "" };
    default:
      return {
        is: "value type",
        value: readDefinedValue(code, reader, scope),
      };
  }
}

function readFunction(reader: Reader, scope: Scope): FunctionType {
  const params: WitField[] = [];
  let size = 1;
  let refused: string | undefined;
  const read = readLabelled(reader, () => readValue(reader, scope));
  for (const [name, value] of read) {
    if ("refused" in value) {
      refused ??= `its parameter ${name} has ${value.refused}`;
    } else {
      params.push({ name, type: value.type });
      size += 1 + value.size;
    }
  }
  if (reader.byte() !== 0) {
    reader.byte();
    return refused ? { refused } : { params, size };
  }
  const result = readValue(reader, scope);
  if (refused) return { refused };
  if ("refused" in result) {
    return { refused: `its result has ${result.refused}` };
  }
  return { params, result: result.type, size: size + result.size };
}

/** Reads what a component or instance of a type has. */
function readDeclarations(reader: Reader, outer: Scope): Scope["exports"] {
  const scope = new Scope(outer);
  for (const _ of reader.items()) {
    const code = reader.byte();
    if (code === 1) {
      scope.add({ space: "type", entity: readType(reader, scope) });
    } else if (code === 2) readAlias(reader, scope);
    else if (code === 3 || code === 4) {
      const name = readName(reader);
      const named = readDescription(name, reader, scope);
      if (code === 3) scope.addImport(name, named);
      else scope.addExport(name, named, reader);
    } else throw reader.fault("a declaration of an unknown form");
  }
  return scope.exports;
}

/** Reads what an import or export is. */
export function readDescription(
  name: string,
  reader: Reader,
  scope: Scope,
): Named {
  const code = reader.byte();
  switch (code) {
    case 0:
      reader.byte();
      reader.u32();
      return { space: "core", entity: { is: "other" } };
    case 1:
    case 4:
    case 5: {
      const space =
        ({ 1: "function", 4: "component", 5: "instance" } as const)[code];
      const entity = scope.expect(space, "type", reader.u32(), reader);
      return { space, entity };
    }
    case 2:
      if (reader.byte() === 0) reader.u32();
      else readValue(reader, scope);
      return { space: "value", entity: { is: "other" } };
    case 3: {
      const isNew = reader.byte() === 1;
      const entity = isNew
        ? { is: "resource" as const, name }
        : scope.get("type", reader.u32(), reader);
      return { space: "type", entity: withName(entity, name) };
    }
    default:
      throw reader.fault("an import or export of an unknown form");
  }
}

/** Resources have their names from their imports and exports. */
export function withName(entity: Entity, name: string): Entity {
  return entity.is === "resource" ? { ...entity, name } : entity;
}
