/** Errors of code that Monty has no part of its Python for, and the feature's name. */
const LACKS: readonly [type: string, message: RegExp][] = [
  [
    "NotImplementedError",
    /^The monty syntax parser does not yet support (.*)$/s,
  ],
  ["ModuleNotFoundError", /^No module named '([^']*)'/],
  ["ImportError", /^cannot import name '([^']*)'/],
  ["AttributeError", /^module '[^']*' has no attribute '([^']*)'/],
];

/** A sentence for an error whose reason is what Monty lacks; undefined for others. */
export function hintFor(
  { type, message }: { type: string; message: string },
): string | undefined {
  for (const [known, words] of LACKS) {
    const [, feature] = type === known ? words.exec(message) ?? [] : [];
    if (feature === undefined) continue;
    return `Monty, a subset of Python, lacks ${feature}. Write it another way, or run the code on an engine that has it: the user serves CPython with --engine pyodide.`;
  }
}
