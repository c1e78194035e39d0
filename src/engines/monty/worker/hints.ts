/** Errors of code that Monty has no part of its Python for, and the feature's name. */
const LACKS: readonly [type: string, message: RegExp][] = [
  [
    "NotImplementedError",
    /^The monty syntax parser does not yet support (.*)$/s,
  ],
  ["ModuleNotFoundError", /^No module named '([^']*)'/],
  ["ImportError", /^cannot import name '([^']*)'/],
  ["NameError", /^name '(\w+)' is not defined$/],
  ["AttributeError", /^module '[^']*' has no attribute '([^']*)'/],
];

/** Builtins of Python that Monty lacks. */
const BUILTINS = [
  ...["bytearray", "memoryview", "input", "super", "property", "classmethod"],
  ...["staticmethod", "globals", "locals", "vars", "dir", "compile", "help"],
  ...["breakpoint", "delattr", "__import__", "aiter", "anext", "ascii"],
];

/** A sentence for an error whose reason is what Monty lacks; undefined for others. */
export function hintFor(
  { type, message }: { type: string; message: string },
): string | undefined {
  for (const [known, words] of LACKS) {
    const [, feature] = type === known ? words.exec(message) ?? [] : [];
    if (feature === undefined) continue;
    // Other names are mistakes of the code.
    if (type === "NameError" && !BUILTINS.includes(feature)) continue;
    return `Monty, a subset of Python, lacks ${feature}. Write it another way, or run the code on an engine that has it: the user serves CPython with --engine pyodide.`;
  }
}
