import type { Reader } from "./reader.ts";
import {
  type Exports,
  type Named,
  readAlias,
  readName,
  readNamed,
  Scope,
} from "./scope.ts";
import { readDescription, readType, withName } from "./type_section.ts";
import { readValue } from "./value_types.ts";

/** The bytes before a component's sections. */
export const PREAMBLE = [0x00, 0x61, 0x73, 0x6d, 0x0d, 0x00, 0x01, 0x00];

/**
 * Reads the sections of a component, and of the components in it.
 *
 * @param onCustom Gets each custom section of this very component.
 */
export function readComponent(
  reader: Reader,
  outer?: Scope,
  onCustom?: (name: string, section: Reader) => void,
): Scope {
  const scope = new Scope(outer);
  while (reader.left > 0) {
    const id = reader.byte();
    const section = reader.part(reader.u32());
    reader.spend(1);
    if (id === 0) onCustom?.(section.text(), section);
    else readSection(id, section, scope);
  }
  return scope;
}

function readSection(id: number, section: Reader, scope: Scope): void {
  switch (id) {
    case 1: // A core module.
    case 2: // Core instances.
    case 3: // Core types.
    case 9: // The start function.
      return;
    case 4: {
      if (PREAMBLE.some((byte) => section.byte() !== byte)) {
        throw section.fault("a component without its first bytes");
      }
      const { exports } = readComponent(section, scope);
      scope.add({ space: "component", entity: { is: "component", exports } });
      return;
    }
    case 5:
    case 6:
    case 7:
    case 8:
    case 10:
    case 11: {
      const read = ITEMS[id];
      for (const _ of section.items()) read(section, scope);
      return;
    }
    default:
      throw section.fault(`a section ${id}`);
  }
}

const ITEMS = {
  5: readInstance,
  6: readAlias,
  7: (reader: Reader, scope: Scope): void =>
    scope.add({ space: "type", entity: readType(reader, scope) }),
  8: readCanon,
  10: (reader: Reader, scope: Scope): void => {
    const name = readName(reader);
    scope.addImport(name, readDescription(name, reader, scope));
  },
  11: readExport,
};

/**
 * Reads an instance. What its component is given is passed over: the component
 * says itself of which types its imports are.
 */
function readInstance(reader: Reader, scope: Scope): void {
  let exports: Exports;
  if (reader.byte() === 0) {
    exports = scope.expect("component", "component", reader.u32(), reader)
      .exports;
    for (const _ of reader.items()) {
      reader.text();
      readNamed(reader, scope);
    }
  } else {
    exports = new Map(
      [...reader.items()].map(
        () => [readName(reader), readNamed(reader, scope)],
      ),
    );
  }
  scope.add({ space: "instance", entity: { is: "instance", exports } });
}

function readExport(reader: Reader, scope: Scope): void {
  const name = readName(reader);
  const { space, entity } = readNamed(reader, scope);
  const described = reader.maybe(() => readDescription(name, reader, scope));
  const named: Named = described ?? { space, entity: withName(entity, name) };
  scope.addExport(name, named, reader);
}

/** What follows the code of each canonical function: i for an index, o for options. */
const CANON: Readonly<Record<number, string>> = {
  0x01: "bio",
  ...of("i", 0x02, 0x03, 0x04, 0x07, 0x08),
  ...of("", 0x05, 0x0d, 0x1e, 0x1f, 0x22, 0x23, 0x24, 0x25),
  ...of("b", 0x06, 0x0c),
  0x09: "ro",
  ...of("bi", 0x0a, 0x0b, 0x20, 0x21),
  ...of("i", 0x0e, 0x13, 0x14, 0x15, 0x1a, 0x1b),
  ...of("io", 0x0f, 0x10, 0x16, 0x17),
  ...of("ib", 0x11, 0x12, 0x18, 0x19),
  ...of("o", 0x1c, 0x1d),
};

function of(operands: string, ...codes: number[]): Record<number, string> {
  return Object.fromEntries(codes.map((code) => [code, operands]));
}

/** Reads a canonical function; of those, `lift` alone makes a function of a component. */
function readCanon(reader: Reader, scope: Scope): void {
  const code = reader.byte();
  if (code === 0) {
    reader.byte();
    reader.u32();
    readOptions(reader);
    const entity = scope.expect("function", "type", reader.u32(), reader);
    scope.add({ space: "function", entity });
    return;
  }
  const operands = CANON[code];
  if (operands === undefined) {
    throw reader.fault(`the canonical function 0x${code.toString(16)}`);
  }
  for (const operand of operands) {
    if (operand === "b") reader.byte();
    else if (operand === "i") reader.u32();
    else if (operand === "o") readOptions(reader);
    else if (reader.byte() === 0) readValue(reader, scope);
    else reader.byte();
  }
}

function readOptions(reader: Reader): void {
  for (const _ of reader.items()) {
    const code = reader.byte();
    if (code > 9) throw reader.fault(`the option 0x${code.toString(16)}`);
    if ([3, 4, 5, 7, 8].includes(code)) reader.u32();
  }
}
