// Names of WIT, and what they are called elsewhere.
import type { FunctionName } from "./types.ts";

const LABEL = /^([a-z][a-z0-9]*|[A-Z][A-Z0-9]*)(-([a-z0-9]+|[A-Z0-9]+))*$/;
const INTERFACE =
  /^[a-zA-Z0-9-]+(:[a-zA-Z0-9-]+)*(\/[a-zA-Z0-9-]+)*(@[0-9a-zA-Z.+-]+)?$/;

/** A tool's name has two labels, and no more than 256 characters. */
const LONGEST_LABEL = 120;

/** Whether a name is one of a function, parameter, field, case or flag: kebab-case. */
export function isLabel(name: string): boolean {
  return name.length <= LONGEST_LABEL && LABEL.test(name);
}

/** Whether a name is one of an interface: `package:name/interface@version`, or a label. */
export function isInterface(name: string): boolean {
  return lastPart(name).length <= LONGEST_LABEL && INTERFACE.test(name);
}

/** The last part of an interface's name: `lists` of `test:types/lists@1.0.0`. */
export function lastPart(name: string): string {
  return name.replace(/@.*$/, "").replace(/^.*[/:]/, "");
}

/** The name of a function's tool: `interface__function`, or `function` at the root. */
export function toolNameOf(fn: FunctionName): string {
  const labels = [...(fn.interface ? [lastPart(fn.interface)] : []), fn.name];
  return labels.map(toSnakeCase).join("__");
}

export function toSnakeCase(label: string): string {
  return label.toLowerCase().replaceAll("-", "_");
}

/** As jco's JavaScript has it. */
export function toCamelCase(label: string): string {
  return label.toLowerCase()
    .replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
