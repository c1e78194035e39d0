import { PREAMBLE, readComponent } from "./component.ts";
import { findDocs, maybeDocs } from "./docs.ts";
import { isInterface, isLabel } from "./names.ts";
import { Reader } from "./reader.ts";
import { toolNameOf } from "./schema.ts";
import type { Entity, Exports, Named } from "./scope.ts";
import { type Wit, WitError, type WitFunction } from "./types.ts";

/** Functions of a component. */
const MOST_FUNCTIONS = 1_000;
/** Types and names in the types of all functions, each written out in full. */
const MOST_PARTS = 50_000;
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
  const reader = new Reader(component, PREAMBLE.length);
  let docs: unknown;
  const { exports, imports } = readComponent(
    reader,
    undefined,
    (name, section) => {
      if (name === "package-docs") docs ??= maybeDocs(section);
    },
  );
  const wit: Wit = {
    functions: [],
    leftOut: [],
    imports: [],
    world: undefined,
  };
  for (const [name, named] of imports) {
    if (isNeeded(named, reader)) wit.imports.push(name);
  }
  const tools = new Set<string>();
  const budget = { parts: MOST_PARTS };
  for (const { entity, ...of } of findFunctions(exports, reader)) {
    if (wit.functions.length + wit.leftOut.length === MOST_FUNCTIONS) {
      throw new WitError(`exports more than ${MOST_FUNCTIONS} functions`);
    }
    const fn = toFunction(of, entity, budget);
    const tool = toolNameOf(of);
    if (tools.has(tool)) {
      const reason = `another function has the name ${tool} as a tool, too`;
      wit.leftOut.push({ name: fullName(of), reason });
    } else if ("reason" in fn) {
      wit.leftOut.push({ name: fullName(of), reason: fn.reason });
    } else {
      tools.add(tool);
      const words = findDocs(docs, of);
      wit.functions.push(words === undefined ? fn : { ...fn, docs: words });
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
function fullName(fn: FunctionName): string {
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
function isNeeded({ space, entity }: Named, reader: Reader): boolean {
  if (space === "type") return entity.is === "resource";
  if (entity.is !== "instance") return true;
  reader.spend(entity.exports.size);
  return [...entity.exports.values()].some(({ space, entity }) =>
    space !== "type" || entity.is === "resource"
  );
}

type FunctionName = Pick<WitFunction, "interface" | "name">;

/** The functions at the root and in interfaces. */
function* findFunctions(
  exports: Exports,
  reader: Reader,
): Generator<FunctionName & { entity: Entity }> {
  for (const [name, { space, entity }] of exports) {
    if (LEFT_BEHIND.test(name)) continue;
    if (space === "function") yield { name, entity };
    if (space !== "instance" || entity.is !== "instance") continue;
    if (!isInterface(name)) throw badName("interface", name);
    reader.spend(entity.exports.size);
    for (const [inner, { space, entity: of }] of entity.exports) {
      if (space === "function") {
        yield { interface: name, name: inner, entity: of };
      }
    }
  }
}

/** A function that can be a tool, or the reason why it cannot. */
function toFunction(
  of: FunctionName,
  entity: Entity,
  budget: { parts: number },
): WitFunction | { reason: string } {
  if (/^\[[a-z-]+\]/.test(of.name)) {
    return { reason: "it belongs to a resource" };
  }
  if (!isLabel(of.name)) throw badName("function", of.name);
  if (entity.is !== "function") return { reason: "its type cannot be read" };
  if ("refused" in entity.type) return { reason: entity.type.refused };
  const { size, ...type } = entity.type;
  if (size > budget.parts) {
    return {
      reason: `the types of this component have more than ${MOST_PARTS} parts`,
    };
  }
  budget.parts -= size;
  return { ...of, ...type };
}

function badName(what: string, name: string): WitError {
  return new WitError(
    `has the ${what} ${JSON.stringify(name)}, which is not a name of WIT`,
  );
}
