import { isLabel } from "./names.ts";
import type { Reader } from "./reader.ts";
import type { Scope, Value } from "./scope.ts";
import type { WitField, WitType } from "./types.ts";

/** Types and names of a type, written out in full: its JSON Schema is no larger. */
const LARGEST_TYPE = 1_000;
/** Types in types. */
const DEEPEST_TYPE = 24;

/** By their codes, from 0x7f downwards. */
const PRIMITIVES: readonly WitType[] = [
  { kind: "bool" },
  ...([8, 16, 32, 64] as const).flatMap((bits) =>
    [true, false].map((signed) => ({
      kind: "integer" as const,
      bits,
      signed,
    }))
  ),
  { kind: "float", bits: 32 },
  { kind: "float", bits: 64 },
  { kind: "char" },
  { kind: "string" },
];

/** Reads a type of values: that of an index, or a primitive one. */
export function readValue(scope: Scope): Value {
  const index = scope.reader.indexOrCode();
  if (index < 0) return toPrimitive(index + 0x80, scope.reader);
  return scope.typeAt(index, "type of values").value;
}

function toPrimitive(code: number, reader: Reader): Value {
  const type = PRIMITIVES[0x7f - code];
  if (type) return combine(type, []);
  if (code === 0x64) return refuse("an error-context");
  throw reader.fault(`the type 0x${code.toString(16)}`);
}

/** Reads the definition of a type of values, after its code. */
export function readDefinition(code: number, scope: Scope): Value {
  const { reader } = scope;
  const read = () => readValue(scope);
  switch (code) {
    case 0x72: {
      const fields = readLabelled(reader, read);
      const type = { kind: "record" as const, fields: fields.map(toField) };
      return combine(type, fields.map(([, value]) => value), fields.length);
    }
    case 0x71: {
      const cases = readLabelled(reader, () => {
        const value = reader.maybe(read);
        if (reader.byte() !== 0) throw reader.fault("a case that refines");
        return value;
      });
      const type = {
        kind: "variant" as const,
        cases: cases.map(([name, value]) => ({
          name,
          ...value && { type: value.type },
        })),
      };
      return combine(type, cases.map(([, value]) => value), cases.length);
    }
    case 0x70: {
      const item = read();
      return combine({ kind: "list", item: item.type }, [item]);
    }
    case 0x6f: {
      const items = reader.items(read);
      const types = items.map(({ type }) => type);
      return combine({ kind: "tuple", items: types }, items);
    }
    case 0x6e:
    case 0x6d: {
      const kind = code === 0x6e ? "flags" : "enum";
      const names = readLabelled(reader, () => {}).map(([name]) => name);
      return combine({ kind, names }, [], names.length);
    }
    case 0x6b: {
      const item = read();
      return combine({ kind: "option", item: item.type }, [item]);
    }
    case 0x6a: {
      const [ok, error] = [reader.maybe(read), reader.maybe(read)];
      const sides = {
        ...ok && { ok: ok.type },
        ...error && { error: error.type },
      };
      return combine({ kind: "result", ...sides }, [ok, error]);
    }
    case 0x69:
    case 0x68: {
      const { name } = scope.typeAt(reader.u32(), "resource");
      return refuse(`a handle of the resource ${name}`);
    }
    case 0x67:
      read();
      reader.u32();
      return refuse("a list of a fixed length");
    case 0x66:
    case 0x65:
      reader.maybe(read);
      return refuse(code === 0x66 ? "a stream" : "a future");
    case 0x63:
      read();
      read();
      return refuse("a map");
    default:
      return toPrimitive(code, reader);
  }
}

/** Reads names, each with what belongs to it. */
export function readLabelled<T>(
  reader: Reader,
  read: () => T,
): [name: string, T][] {
  const seen = new Set<string>();
  return reader.items(() => {
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

export function toField([name, { type }]: [string, Value]): WitField {
  return { name, type };
}

/** A type with so many names of its own; a part that no tool can have goes for all of it. */
function combine(
  type: WitType,
  parts: (Value | undefined)[],
  names = 0,
): Value {
  let [size, depth] = [1 + names, 0];
  let refused: string | undefined;
  for (const part of parts) {
    if (!part) continue;
    size += part.size;
    depth = Math.max(depth, part.depth);
    refused ??= part.refused;
  }
  if (size > LARGEST_TYPE) {
    refused ??= `a type of more than ${LARGEST_TYPE} parts`;
  }
  if (depth >= DEEPEST_TYPE) {
    refused ??= `a type in types, deeper than ${DEEPEST_TYPE}`;
  }
  return { type, size, depth: depth + 1, refused };
}

/** A type that no tool can have: what stands for it is in no tool either. */
function refuse(refused: string): Value {
  return { type: { kind: "bool" }, size: 1, depth: 1, refused };
}
