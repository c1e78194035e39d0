import { fields, is } from "../protocol/fields.ts";
import { PREAMBLE, readComponent } from "./component.ts";
import { isInterface, isLabel, lastPart } from "./names.ts";
import { Reader } from "./reader.ts";
import type { Named } from "./scope.ts";
import { type Wit, WitError, type WitFunction } from "./types.ts";

/** Functions of a component. */
const MOST_FUNCTIONS = 1_000;
/** Characters of a function's documentation. */
const LONGEST_DOCS = 10_000;
/** Bytes of the documentation of all functions. */
const MOST_DOCS = 4 * 2 ** 20;

/** Exports at the root that tools of building leave behind. */
const LEFT_BEHIND = /^(init|exports|_initialize|_start|cabi_.*)$/;

/** Exports by which the world of MCP servers is known. */
const SERVER_EXPORTS = [
  "initialize",
  "notify",
  "mcp-wasm:server/tools@0.1.0#get-list",
  "mcp-wasm:server/tools@0.1.0#call",
];

/** Imports that a host of components has. */
const HOST_IMPORTS = [
  /^wasi:(cli|clocks|filesystem|http|io|random|sockets)\/[a-z0-9-]+@0\.2\.\d+$/,
  /^wasi:config\/store@[0-9a-z.+-]+$/,
];

/**
 * Reads from a component's bytes which functions it exports, of which types,
 * and what it imports. The bytes may be hostile.
 *
 * @throws {WitError} If they are not a component, or have a form that is not
 * known; the message completes "it …".
 */
export function decodeWit(component: Uint8Array): Wit {
  checkPreamble(component);
  let docs: unknown;
  const { exports, imports } = readComponent(
    new Reader(component, PREAMBLE.length),
    undefined,
    (name, section) => {
      if (name === "package-docs") docs ??= maybeDocs(section);
    },
  );
  const wit: Wit = {
    functions: [],
    leftOut: [],
    imports: [...imports].filter(([, named]) => isNeeded(named))
      .map(([name]) => name),
    world: undefined,
  };
  for (const [name, { space, entity }] of exports) {
    if (LEFT_BEHIND.test(name)) continue;
    if (space === "function") addFunction(wit, { name, entity, docs });
    if (space !== "instance" || entity.is !== "instance") continue;
    if (!isInterface(name)) throw badName("interface", name);
    for (const [inner, named] of entity.exports) {
      if (named.space !== "function") continue;
      const { entity } = named;
      addFunction(wit, { name: inner, entity, docs, interface: name });
    }
  }
  const names = new Set(wit.functions.map(fullName));
  const isServer = SERVER_EXPORTS.every((name) => names.has(name));
  return { ...wit, world: isServer ? "mcp-wasm:server/server" : undefined };
}

/** The imports of a component that are neither of WASI 0.2 nor its configuration. */
export function refusedImports(wit: Wit): string[] {
  return wit.imports.filter((name) =>
    !HOST_IMPORTS.some((pattern) => pattern.test(name))
  );
}

/** A function's name with that of its interface: `test:types/lists@1.0.0#give-bools`. */
function fullName(fn: Pick<WitFunction, "interface" | "name">): string {
  return fn.interface === undefined ? fn.name : `${fn.interface}#${fn.name}`;
}

function checkPreamble(bytes: Uint8Array): void {
  const starts = (...start: number[]) =>
    start.every((byte, at) => bytes[at] === byte);
  if (bytes.length === 0) throw new WitError("is empty");
  if (!starts(...PREAMBLE.slice(0, Math.min(4, bytes.length)))) {
    throw new WitError(
      "is not WebAssembly: it must be a component, which starts with the bytes 00 61 73 6d",
    );
  }
  if (bytes.length < PREAMBLE.length) {
    throw new WitError(`is truncated: it ends at byte ${bytes.length}`);
  }
  if (starts(...PREAMBLE)) return;
  if (bytes[6] === 0) {
    throw new WitError(
      "is a core module, not a component: make it one with `wasm-tools component new`, or build it for `wasm32-wasip2`",
    );
  }
  throw new WitError(
    `is a component of another version of the binary format: bytes 4 to 7 are ${
      bytes.slice(4, 8).toHex()
    }, not 0d000100`,
  );
}

/** Whether an import is more than types. */
function isNeeded({ space, entity }: Named): boolean {
  if (space === "instance" && entity.is === "instance") {
    return [...entity.exports.values()].some(isNeeded);
  }
  return space !== "type" || entity.is === "resource";
}

function addFunction(
  wit: Wit,
  { name, entity, docs, ...of }:
    & { name: string; entity: Named["entity"]; docs: unknown }
    & { interface?: string },
): void {
  if (entity.is !== "function") return;
  if (wit.functions.length + wit.leftOut.length >= MOST_FUNCTIONS) {
    throw new WitError(`exports more than ${MOST_FUNCTIONS} functions`);
  }
  const whole = fullName({ name, ...of });
  if (/^\[[a-z-]+\]/.test(name)) {
    const reason = "it belongs to a resource";
    wit.leftOut.push({ name: whole, reason });
  } else if (!isLabel(name)) throw badName("function", name);
  else if ("refused" in entity.type) {
    wit.leftOut.push({ name: whole, reason: entity.type.refused });
  } else {
    const words = findDocs(docs, name, of.interface);
    wit.functions.push({
      ...of,
      name,
      ...entity.type,
      ...(words === undefined ? {} : { docs: words }),
    });
  }
}

function badName(what: string, name: string): WitError {
  return new WitError(
    `has the ${what} ${JSON.stringify(name)}, which is not a name of WIT`,
  );
}

/** Reads the section of documentation: a version, and JSON; undefined if it is neither. */
function maybeDocs(section: Reader): unknown {
  if (section.left > MOST_DOCS || section.byte() > 1) return undefined;
  try {
    const text = new TextDecoder().decode(section.take(section.left));
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Finds the documentation of a function: a text in version 0, else in a field of it. */
function findDocs(
  docs: unknown,
  name: string,
  ofInterface: string | undefined,
): string | undefined {
  const found = ofInterface === undefined
    ? Object.values(fields(own(docs, "worlds")))
      .map((world) => own(own(world, "func_exports"), name))
      .find((words) => words !== undefined)
    : own(
      own(own(own(docs, "interfaces"), lastPart(ofInterface)), "funcs"),
      name,
    );
  const words = is.text(found) ? found : own(found, "docs");
  return is.text(words) ? words.slice(0, LONGEST_DOCS) : undefined;
}

function own(data: unknown, name: string): unknown {
  const all = fields(data);
  return Object.hasOwn(all, name) ? all[name] : undefined;
}
