/**
 * Texts of components that are too long to be written by hand; `deno task build:guests`
 * compiles them as it does the files of text.
 *
 * @module
 */

const F = `(core module $m (func (export "f") (result i32) (i32.const 1)))
  (core instance $i (instantiate $m))`;
const LIFT = `(canon lift (core func $i "f"))`;

function times(count: number, toText: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => toText(index)).join(
    "\n  ",
  );
}

/** A component with a function that takes a value of a type, and memory for it. */
function taking(types: string, type: string): string {
  return `(component
  (core module $m
    (memory (export "memory") 1)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
    (func (export "take") (param i32 i32)))
  (core instance $i (instantiate $m))
  ${types}
  (func (export "take") (param "value" (list ${type}))
    (canon lift (core func $i "take") (memory $i "memory") (realloc (func $i "realloc"))))
)`;
}

/** A component with an interface: a type, and a function that takes a list of it. */
function exporting(type: string): string {
  return `(component
  (core module $m
    (memory (export "memory") 1)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
    (func (export "take") (param i32 i32)))
  (core instance $i (instantiate $m))
  (type $own ${type})
  (func $take (param "value" (list $own))
    (canon lift (core func $i "take") (memory $i "memory") (realloc (func $i "realloc"))))
  (component $shim
    (type $own ${type})
    (import "type-in" (type $in (eq $own)))
    (import "take-in" (func $take (param "value" (list $in))))
    (export $out "wide" (type $own))
    (export "take" (func $take) (func (param "value" (list $out)))))
  (instance $x (instantiate $shim (with "type-in" (type $own)) (with "take-in" (func $take))))
  (export "a:b/c" (instance $x))
)`;
}

/** Types of types: each stands for `toText` of the one before. */
function chain(
  depth: number,
  toText: (before: string) => string,
): [types: string, last: string] {
  const types = times(
    depth,
    (index) =>
      `(type $t${index} ${toText(index === 0 ? "u8" : `$t${index - 1}`)})`,
  );
  return [types, `$t${depth - 1}`];
}

const record = (count: number) =>
  `(record ${times(count, (index) => `(field "field-n${index}" u8)`)})`;

function instances(count: number): string {
  return `(component
  ${F}
  (func $f (result u32) ${LIFT})
  ${times(count, (i) => `(instance $x${i} (export "run" (func $f)))`)}
  ${times(count, (i) => `(export "a:b${i}/c" (instance $x${i}))`)}
)`;
}

/** By their names. */
export const GENERATED: Record<string, () => string> = {
  "exports-10000": () =>
    `(component
  ${F}
  ${times(10_000, (i) => `(func (export "run-n${i}") (result u32) ${LIFT})`)}
)`,
  "instances-400": () => instances(400),
  "instances-2000": () => instances(2000),
  "modules-1000": () =>
    `(component
  ${times(1000, (i) => `(core module $m${i} (memory 1))`)}
  ${times(1000, (i) => `(core instance (instantiate $m${i}))`)}
)`,
  "types-deep-90": () => taking(...chain(90, (before) => `(option ${before})`)),
  "types-deep-1000": () =>
    taking(...chain(1000, (before) => `(list ${before})`)),
  "types-doubled-15": () =>
    taking(...chain(15, (before) => `(tuple ${before} ${before})`)),
  "types-doubled-60": () =>
    taking(...chain(60, (before) => `(tuple ${before} ${before})`)),
  "record-1000": () => exporting(record(1000)),
  "record-50000": () => exporting(record(50_000)),
  "enum-10000": () =>
    exporting(`(enum ${times(10_000, (i) => `"case-n${i}"`)})`),
  "flags-33": () => exporting(`(flags ${times(33, (i) => `"flag-n${i}"`)})`),
  "params-1000": () =>
    `(component
  (core module $m
    (memory (export "memory") 1)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
    (func (export "f") (param i32)))
  (core instance $i (instantiate $m))
  (func (export "take") ${times(1000, (i) => `(param "n${i}" u8)`)}
    (canon lift (core func $i "f") (memory $i "memory") (realloc (func $i "realloc"))))
)`,
  "name-long": () =>
    `(component
  ${F}
  (func (export "${"x".repeat(90_000)}") (result u32) ${LIFT})
)`,
};
