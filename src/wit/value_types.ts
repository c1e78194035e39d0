import { isLabel } from "./names.ts";
import type { Reader } from "./reader.ts";
import type { Scope, Value } from "./scope.ts";
import type { WitField, WitType } from "./types.ts";

/** Types in a type and their places, written out in full: its JSON Schema is no larger. */
const LARGEST_TYPE = 1_000;
/** Types in types. */
const DEEPEST_TYPE = 24;

/** By their codes, from 0x7f downwards. */
const PRIMITIVES: readonly WitType[] = [
  { kind: "bool" },
  ...([8, 16, 32, 64] as const).flatMap((bits): WitType[] => [
    { kind: "integer", bits, signed: true },
    { kind: "integer", bits, signed: false },
  ]),
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
      const { names, values } = readLabelled(reader, read);
      return combine(
        { kind: "record", fields: toFields(names, values) },
        values,
      );
    }
    case 0x71: {
      const { names, values } = readLabelled(reader, () => {
        const value = reader.maybe(read);
        if (reader.byte() !== 0) throw reader.fault("a case that refines");
        return value;
      });
      const cases = names.map((name, at) => ({
        name,
        ...values[at] && { type: values[at].type },
      }));
      return combine({ kind: "variant", cases }, values);
    }
    case 0x70:
    case 0x6b: {
      const kind = code === 0x70 ? "list" : "option";
      const item = read();
      return combine({ kind, item: item.type }, [item]);
    }
    case 0x6f: {
      const items = reader.items(read);
      return combine(
        { kind: "tuple", items: items.map(({ type }) => type) },
        items,
      );
    }
    case 0x6e:
    case 0x6d: {
      const kind = code === 0x6e ? "flags" : "enum";
      const { names, values } = readLabelled(reader, () => undefined);
      return combine({ kind, names }, values);
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
): { names: string[]; values: T[] } {
  const seen = new Set<string>();
  const names: string[] = [];
  const values = reader.items(() => {
    const name = reader.text();
    const key = name.toLowerCase();
    if (!isLabel(name) || seen.has(key)) {
      throw reader.fault(
        `the name ${JSON.stringify(name)}, which is not valid`,
      );
    }
    seen.add(key);
    names.push(name);
    return read();
  });
  return { names, values };
}

export function toFields(names: string[], values: Value[]): WitField[] {
  return values.map(({ type }, at) => ({ name: names[at]!, type }));
}

/** A type with these parts; one that no tool can have goes for all of it. */
function combine(type: WitType, parts: (Value | undefined)[]): Value {
  let [size, depth] = [1 + parts.length, 0];
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
