import { PREAMBLE, readComponent } from "./component.ts";
import { type FindDocs, maybeDocs } from "./docs.ts";
import { isInterface, isLabel, toolNameOf } from "./names.ts";
import { Reader } from "./reader.ts";
import type { Entity, Exports, FunctionEntity } from "./scope.ts";
import { type FunctionName, type Wit, WitError } from "./types.ts";

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
  /^wasi:cli\/(environment|exit|std(in|out|err)|terminal-(input|output|std(in|out|err)))@0\.2\.\d+$/,
  /^wasi:clocks\/(monotonic|wall)-clock@0\.2\.\d+$/,
  /^wasi:filesystem\/(preopens|types)@0\.2\.\d+$/,
  /^wasi:http\/(outgoing-handler|types)@0\.2\.\d+$/,
  /^wasi:io\/(error|poll|streams)@0\.2\.\d+$/,
  /^wasi:random\/(random|insecure|insecure-seed)@0\.2\.\d+$/,
  /^wasi:sockets\/(network|instance-network|ip-name-lookup|(tcp|udp)(-create-socket)?)@0\.2\.\d+$/,
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
  const reader = new Reader(component);
  reader.take(PREAMBLE.length);
  const { exports, imports, docs } = readComponent(reader);
  const findDocs = docs.map(maybeDocs).find((found) => found !== undefined);
  const found = toFunctions(findFunctions(exports, reader), findDocs);
  const names = new Set(found.functions.map(fullNameOf));
  const isServer = SERVER_EXPORTS.every((name) => names.has(name));
  return {
    ...found,
    imports: [...imports].filter(([, entity]) => isNeeded(entity, reader))
      .map(([name]) => name),
    world: isServer ? "mcp-wasm:server/server" : undefined,
  };
}

/** The imports of a component that are neither of WASI 0.2 nor its configuration. */
export function refusedImports(wit: Wit): string[] {
  return wit.imports.filter((name) =>
    !HOST_IMPORTS.some((pattern) => pattern.test(name))
  );
}

function checkPreamble(bytes: Uint8Array): void {
  const { length } = bytes;
  const wrong = PREAMBLE.findIndex((byte, at) => bytes[at] !== byte);
  if (wrong === -1) return;
  if (length === 0) throw new WitError("is empty");
  if (wrong < Math.min(4, length)) {
    throw new WitError(
      "is not WebAssembly: it must be a component, which starts with the bytes 00 61 73 6d",
    );
  }
  if (length < PREAMBLE.length) {
    throw new WitError(`is truncated: it ends at byte ${length}`);
  }
  throw new WitError(
    bytes[6] === 0
      ? "is a core module, not a component: make it one with `wasm-tools component new`, or build it for `wasm32-wasip2`"
      : `is a component of another version of the binary format: bytes 4 to 7 are ${
        bytes.slice(4, 8).toHex()
      }, not 0d000100`,
  );
}

type Found = FunctionName & { entity: FunctionEntity };

/** The functions at the root and in interfaces. */
function* findFunctions(exports: Exports, reader: Reader): Generator<Found> {
  for (const [name, entity] of exports) {
    if (LEFT_BEHIND.test(name)) continue;
    if (entity.is === "function") yield { name, entity };
    if (entity.is !== "instance") continue;
    if (!isInterface(name)) throw badName("interface", name);
    reader.spend(entity.exports.size);
    for (const [inner, of] of entity.exports) {
      if (of.is === "function") {
        yield { interface: name, name: inner, entity: of };
      }
    }
  }
}

function toFunctions(
  found: Iterable<Found>,
  findDocs?: FindDocs,
): Pick<Wit, "functions" | "leftOut"> {
  const functions: Wit["functions"] = [];
  const leftOut: Wit["leftOut"] = [];
  const tools = new Set<string>();
  let parts = 0;
  for (const { entity, ...name } of found) {
    if (functions.length + leftOut.length === MOST_FUNCTIONS) {
      throw new WitError(`exports more than ${MOST_FUNCTIONS} functions`);
    }
    const { is: _, size, refused, ...types } = entity;
    const tool = toolNameOf(name);
    const isOfResource = /^\[[a-z-]+\]/.test(name.name);
    if (!isOfResource && !isLabel(name.name)) {
      throw badName("function", name.name);
    }
    let reason = isOfResource ? "it belongs to a resource" : refused;
    if (parts + size > MOST_PARTS) {
      reason ??=
        `the types of this component have more than ${MOST_PARTS} parts`;
    }
    if (tools.has(tool)) {
      reason = `another function has the name ${tool} as a tool, too`;
    }
    if (reason !== undefined) {
      leftOut.push({ name: fullNameOf(name), reason });
      continue;
    }
    tools.add(tool);
    parts += size;
    const docs = findDocs?.(name);
    functions.push({ ...name, ...types, ...docs !== undefined && { docs } });
  }
  return { functions, leftOut };
}

/** A function's name with that of its interface: `test:types/lists@1.0.0#give-bools`. */
function fullNameOf(fn: FunctionName): string {
  return fn.interface === undefined ? fn.name : `${fn.interface}#${fn.name}`;
}

function badName(what: string, name: string): WitError {
  return new WitError(
    `has the ${what} ${JSON.stringify(name)}, which is not a name of WIT`,
  );
}

/** Whether an import is more than types. */
function isNeeded(entity: Entity, reader: Reader): boolean {
  if (entity.is === "type") return entity.of.is === "resource";
  if (entity.is !== "instance") return true;
  reader.spend(entity.exports.size);
  return entity.exports.values().some((entity) =>
    entity.is !== "type" || entity.of.is === "resource"
  );
}
