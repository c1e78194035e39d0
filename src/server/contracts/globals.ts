import { ENCODED_GLOBALS, fitsEncoded } from "../../protocol/bounds.ts";
import { head } from "../../results/cut.ts";

/**
 * Writes the variables of a run, for its request.
 *
 * @param argument That has them.
 * @param check Refuses a value that its engine could not read.
 * @throws {TypeError | RangeError} If a name or value is wrong, or all are too large.
 */
export function toGlobals(
  argument: string,
  names: Record<string, unknown>,
  check: (value: unknown, name: string) => void,
): string {
  const bad = Object.keys(names).find((name) => !IDENTIFIER.test(name));
  if (bad !== undefined) {
    throw new TypeError(
      `${argument} has "${head(bad, 100)}", which is not a Python name`,
    );
  }
  for (const [name, value] of Object.entries(names)) check(value, name);
  const text = JSON.stringify(names);
  if (fitsEncoded(text, ENCODED_GLOBALS)) return text;
  throw new RangeError(
    `${argument} is too large: as JSON in JSON it may have ${ENCODED_GLOBALS} bytes, and ${text.length} characters become more. Send less, or a file`,
  );
}

/** Writes the `global_variables` of a call: plain JSON. */
export function toPlainGlobals(names: Record<string, unknown>): string {
  const argument = "global_variables";
  return toGlobals(argument, names, (value, name) => {
    refuseUnwritable(value, () => `${argument}.${name}`, MAX_DEPTH - 1);
  });
}

const IDENTIFIER = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;

/** Lists and objects in each other that a variable may have. */
const MAX_DEPTH = 200;

/**
 * Refuses numbers that JSON text cannot have, and depth that fills a stack. A
 * million values take little time: their paths are not written unless it is needed.
 */
function refuseUnwritable(value: unknown, path: () => string, depth: number) {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new RangeError(
      `${head(path(), 100)} is a number that is too large: send a string`,
    );
  }
  if (typeof value !== "object" || value === null) return;
  if (depth === 0) {
    throw new RangeError(`${head(path(), 100)}… is nested too deep`);
  }
  const children: unknown[] = Array.isArray(value)
    ? value
    : Object.values(value);
  const pathOf = (at: number) => `${path()}.${Object.keys(value)[at]}`;
  for (const [at, child] of children.entries()) {
    refuseUnwritable(child, () => pathOf(at), depth - 1);
  }
}
