// Components that are written byte by byte: those that no tool makes.

type Bytes = number[];

/** A component of these sections. */
export function component(...sections: Bytes[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([...PREAMBLE, ...sections.flat()]);
}

const PREAMBLE = [0x00, 0x61, 0x73, 0x6d, 0x0d, 0x00, 0x01, 0x00];

/** A section of so many items. */
export function section(id: number, ...items: Bytes[]): Bytes {
  const contents = vector(...items);
  return [id, ...leb(contents.length), ...contents];
}

/** A section with a component in it. */
export function inner(...sections: Bytes[]): Bytes {
  const contents = [...PREAMBLE, ...sections.flat()];
  return [4, ...leb(contents.length), ...contents];
}

/** A section for tools. */
export function custom(name: string, contents: Bytes): Bytes {
  const all = [...text(name), ...contents];
  return [0, ...leb(all.length), ...all];
}

export function vector(...items: Bytes[]): Bytes {
  return [...leb(items.length), ...items.flat()];
}

export function text(words: string): Bytes {
  const bytes = new TextEncoder().encode(words);
  return [...leb(bytes.length), ...bytes];
}

export function leb(value: number): Bytes {
  return value < 0x80
    ? [value]
    : [value % 0x80 | 0x80, ...leb(Math.floor(value / 0x80))];
}

const named = (
  name: string,
  ...rest: Bytes
): Bytes => [0, ...text(name), ...rest];

/** An import or export of a type, where types are declared. */
export const declaredType = (name: string, type: number): Bytes =>
  named(name, 3, 0, ...leb(type));

/** The export of a function, an instance and so on, by its sort and its index. */
export const exported = (name: string, sort: number, index: number): Bytes =>
  named(name, sort, ...leb(index), 0);

/** A function's type. */
export const functionType = (
  params: [string, Bytes][],
  result?: Bytes,
): Bytes => [
  0x40,
  ...vector(...params.map(([name, type]) => [...text(name), ...type])),
  ...(result ? [0, ...result] : [1, 0]),
];

/** A function that a core function makes, by the index of its type. */
export const lifted = (type: number): Bytes => [0, 0, 0, 0, ...leb(type)];

export const record = (...fields: [string, Bytes][]): Bytes => [
  0x72,
  ...vector(...fields.map(([name, type]) => [...text(name), ...type])),
];

/** Types without an index. */
export const U32 = [0x79];
export const STRING = [0x73];
