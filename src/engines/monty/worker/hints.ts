import { CANNOT_RUN, cannotRun } from "../../shared/cannot_run.ts";

/** Errors of code that Monty has no part of its Python for, and the feature's name. */
const LACKS: readonly [type: string, message: RegExp, feature?: string][] = [
  [
    "NotImplementedError",
    /^The monty syntax parser does not yet support (.*)$/s,
  ],
  ["NotImplementedError", /^(Wildcard imports .*) are not supported$/],
  ["ModuleNotFoundError", /^No module named '([^']*)'/],
  ["ImportError", /^cannot import name '([^']*)'/],
  [
    "RuntimeError",
    /^Internal error in monty: (exceptions) can only be called with zero or one/,
    "exceptions with an argument that is not a str",
  ],
  ["NameError", /^name '(\w+)' is not defined$/],
  ["AttributeError", /^module '([^']*)' has no attribute '([^']*)'/],
];

/** Builtins of Python that Monty lacks. */
const BUILTINS = [
  ...["bytearray", "memoryview", "input", "super", "property", "classmethod"],
  ...["staticmethod", "globals", "locals", "vars", "dir", "compile", "help"],
  ...["breakpoint", "delattr", "__import__", "aiter", "anext", "ascii"],
  ...["exit", "quit"],
];

interface Failure {
  type: string;
  message: string;
  traceback: string;
}

/** A sentence for an error of a path that a policy denies, or that is around one. */
export function deniedHint(
  { message }: Pick<Failure, "message">,
  denied: readonly string[],
): string | undefined {
  if (!message.startsWith("[Errno 13]")) return undefined;
  const paths = [...message.matchAll(/'([^']*)'/g)].map(([, path]) => path);
  const folder = denied.find((one) =>
    paths.some((path) =>
      `${path}/`.startsWith(`${one}/`) || one.startsWith(`${path}/`)
    )
  );
  return folder &&
    `The policy of this server denies ${folder}: ask the user to take its entry out of permissions.storage.deny.`;
}

/** A sentence for an error whose reason is what Monty lacks; undefined for others. */
export function hintFor(
  { type, message, traceback }: Failure,
): string | undefined {
  if (type === "SyntaxError") return notebookHint(traceback);
  for (const [known, words, name] of LACKS) {
    const [, ...found] = type === known ? words.exec(message) ?? [] : [];
    if (found.length === 0) continue;
    const feature = name ?? found.join(".");
    // Other names are mistakes of the code.
    if (type === "NameError" && !BUILTINS.includes(feature)) continue;
    const never = feature === "input"
      ? CANNOT_RUN.input.says
      : cannotRun(feature);
    if (never) return never;
    return `Monty, a subset of Python, lacks ${feature}. Write it another way, or run the code on CPython: by run_python_code with engine "pyodide", if the user serves that with --engine pyodide,monty; in a shell, without --engine monty.`;
  }
}

/** A sentence for a line that is for a notebook; undefined for others. */
function notebookHint(traceback: string): string | undefined {
  const [, magic] = /\n +(!|%%?[a-z]+)[^\n]*\n +~/.exec(traceback) ?? [];
  if (magic === undefined) return undefined;
  return magic === "!"
    ? CANNOT_RUN.processes.says
    : `There is no IPython here, and no ${magic}. Do it in Python.`;
}
