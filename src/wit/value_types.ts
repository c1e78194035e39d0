import { isLabel } from "./names.ts";
import type { Reader } from "./reader.ts";
import type { Scope, Value } from "./scope.ts";
import type { WitCase, WitType } from "./types.ts";

/** Types and names of a type, written out in full: its JSON Schema is no larger. */
const LARGEST_TYPE = 1_000;
/** Types in types. */
const DEEPEST_TYPE = 24;

const PRIMITIVES: Readonly<Record<number, WitType>> = {
  0x7f: { kind: "bool" },
  0x7e: { kind: "integer", bits: 8, signed: true },
  0x7d: { kind: "integer", bits: 8, signed: false },
  0x7c: { kind: "integer", bits: 16, signed: true },
  0x7b: { kind: "integer", bits: 16, signed: false },
  0x7a: { kind: "integer", bits: 32, signed: true },
  0x79: { kind: "integer", bits: 32, signed: false },
  0x78: { kind: "integer", bits: 64, signed: true },
  0x77: { kind: "integer", bits: 64, signed: false },
  0x76: { kind: "float", bits: 32 },
  0x75: { kind: "float", bits: 64 },
  0x74: { kind: "char" },
  0x73: { kind: "string" },
};

/** Reads a type of values: that of an index, or a primitive one. */
export function readValue(reader: Reader, scope: Scope): Value {
  const index = reader.indexOrCode();
  if (index < 0) return readPrimitive(index + 0x80, reader);
  const entity = scope.get("type", index, reader);
  if (entity.is !== "value type") {
    throw reader.fault(`type ${index} as a value`);
  }
  return entity.value;
}

function readPrimitive(code: number, reader: Reader): Value {
  const type = PRIMITIVES[code];
  if (type) return { type, size: 1, depth: 1 };
  if (code === 0x64) return { refused: "an error-context" };
  throw reader.fault(`the type 0x${code.toString(16)}`);
}

/** Reads the definition of a type of values, after its code. */
export function readDefinedValue(
  code: number,
  reader: Reader,
  scope: Scope,
): Value {
  const value = () => readValue(reader, scope);
  const values = () => [...reader.items()].map(value);
  switch (code) {
    case 0x72: {
      const read = readLabelled(reader, value);
      return combine(read.map(([, value]) => value), read.length, (types) => ({
        kind: "record",
        fields: read.map(([name], at) => ({ name, type: types[at]! })),
      }));
    }
    case 0x71: {
      const cases = readLabelled(reader, () => {
        const type = reader.maybe(value);
        if (reader.byte() !== 0) throw reader.fault("a case that refines");
        return type;
      });
      return combine(
        cases.flatMap(([, value]) => value ?? []),
        cases.length,
        () => ({ kind: "variant", cases: cases.map(toCase) }),
      );
    }
    case 0x70: {
      const item = value();
      return combine([item], 0, ([item]) => ({ kind: "list", item: item! }));
    }
    case 0x6f:
      return combine(values(), 0, (items) => ({ kind: "tuple", items }));
    case 0x6e:
    case 0x6d: {
      const names = readLabelled(reader, () => undefined).map(([name]) => name);
      const kind = code === 0x6e ? "flags" : "enum";
      return combine([], names.length, () => ({ kind, names }));
    }
    case 0x6b:
      return combine([value()], 0, ([item]) => ({
        kind: "option",
        item: item!,
      }));
    case 0x6a: {
      const ok = reader.maybe(value);
      const error = reader.maybe(value);
      return combine([ok, error].filter((side) => !!side), 0, () => ({
        kind: "result",
        ...toType("ok", ok),
        ...toType("error", error),
      }));
    }
    case 0x69:
    case 0x68: {
      const { name } = scope.expect("resource", "type", reader.u32(), reader);
      return { refused: `a handle of the resource ${name}` };
    }
    case 0x67:
      value();
      reader.u32();
      return { refused: "a list of a fixed length" };
    case 0x66:
    case 0x65:
      reader.maybe(value);
      return { refused: code === 0x66 ? "a stream" : "a future" };
    case 0x63:
      value();
      value();
      return { refused: "a map" };
    default:
      return readPrimitive(code, reader);
  }
}

/** Reads names, each with what belongs to it. */
export function readLabelled<T>(reader: Reader, read: () => T): [string, T][] {
  const seen = new Set<string>();
  return [...reader.items()].map(() => {
    const name = reader.text();
    const key = name.toLowerCase();
    if (!isLabel(name) || seen.has(key)) {
      throw reader.fault(
        `the name ${JSON.stringify(name)}, which is not valid`,
      );
    }
    seen.add(key);
    return [name, read()];
  });
}

function combine(
  parts: Value[],
  names: number,
  make: (types: WitType[]) => WitType,
): Value {
  let [size, depth] = [1 + names, 0];
  const types: WitType[] = [];
  for (const part of parts) {
    if ("refused" in part) return part;
    size += part.size;
    depth = Math.max(depth, part.depth);
    types.push(part.type);
  }
  if (size > LARGEST_TYPE) {
    return { refused: `a type of more than ${LARGEST_TYPE} parts` };
  }
  if (depth >= DEEPEST_TYPE) {
    return { refused: `a type in types, deeper than ${DEEPEST_TYPE}` };
  }
  return { type: make(types), size, depth: depth + 1 };
}

const toCase = ([name, value]: [string, Value | undefined]): WitCase => ({
  name,
  ...toType("type", value),
});

/** A type under a name, if there is one. */
function toType<Name extends string>(
  name: Name,
  value: Value | undefined,
): { [N in Name]?: WitType } {
  return value && "type" in value
    ? { [name]: value.type } as { [N in Name]: WitType }
    : {};
}
