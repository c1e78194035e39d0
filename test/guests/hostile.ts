/**
 * Components that harm, and bytes that are none: what each tries, and the words of what
 * comes of it. Each is a file of `hostile/`, a text of `hostile/generated.ts`, a mode of
 * `rust/liar`, or bytes made here.
 *
 * @module
 */
import { type GuestName, readGuest } from "../support/guests.ts";

/** When it shows: as the file is read and made ready, as it starts, or in a call. */
export type Stage = "read" | "start" | "call";

export interface Hostile {
  /** What it tries. */
  tries: string;
  stage: Stage;
  /** Words of the error, in any case; undefined if no error is due, and the server must just live. */
  error?: RegExp;
  /** The bytes of the file. */
  read(): Promise<Uint8Array<ArrayBuffer>>;
}

const component = (
  name: GuestName,
  stage: Stage,
  tries: string,
  error?: RegExp,
): [string, Hostile] => [
  name,
  { tries, stage, read: () => readGuest(name), ...error && { error } },
];

const bytes = (
  name: string,
  tries: string,
  error: RegExp,
  read: () => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>,
): [string, Hostile] => [
  name,
  { tries, stage: "read", error, read: async () => await read() },
];

const encoder = new TextEncoder();
/** The start of each component. */
const HEADER = [0, 97, 115, 109, 13, 0, 1, 0];
/** The start of each core module. */
const CORE_HEADER = [0, 97, 115, 109, 1, 0, 0, 0];

const INVALID = /kebab|valid|pars|component/i;
const LOOPS = /time|ended|long/i;
const TRAPS = /trap|unreachable|fail/i;
const MEMORY = /memory|alloc|grow/i;
const OUTSIDE = /range|outside|bounds|length/i;

/** By their names. */
export const HOSTILE: Record<string, Hostile> = Object.fromEntries([
  bytes("empty", "no bytes", /empty|component|short/i, () => new Uint8Array()),
  bytes(
    "not-wasm",
    "JavaScript",
    /WebAssembly|component/i,
    () => encoder.encode("globalThis.pwned = 1;\n"),
  ),
  bytes(
    "core-module",
    "a core module",
    /core module/i,
    () => new Uint8Array(CORE_HEADER),
  ),
  bytes(
    "other-version",
    "a version of the format that is not there yet",
    INVALID,
    () => new Uint8Array([0, 97, 115, 109, 14, 0, 1, 0]),
  ),
  bytes(
    "truncated",
    "half a component",
    /end|trunc|pars|section/i,
    async () => (await readGuest("rust")).slice(0, 80_000),
  ),
  bytes(
    "section-too-long",
    "a section that says it has 4 GiB",
    /end|trunc|pars|section|length/i,
    () => new Uint8Array([...HEADER, 1, 255, 255, 255, 255, 15]),
  ),
  bytes(
    "number-too-long",
    "a length that never ends",
    /number|integer|LEB|pars|section|end/i,
    () => new Uint8Array([...HEADER, 1, ...Array(100_000).fill(255)]),
  ),
  bytes(
    "count-too-great",
    "a section that says it has 4 billion types",
    /end|count|limit|pars|section/i,
    () => new Uint8Array([...HEADER, 7, 5, 255, 255, 255, 255, 15]),
  ),
  bytes(
    "components-deep",
    "components in each other, 10,000 times",
    /deep|nest|depth|limit/i,
    () => nested(10_000),
  ),
  bytes(
    "flipped",
    "a component with wrong bytes in its middle",
    INVALID,
    async () => (await readGuest("types")).fill(0xee, 4000, 4100),
  ),

  component("loop-in-start", "start", "a start that never ends", LOOPS),
  component("trap-in-start", "start", "a start that traps", TRAPS),
  component("loop-in-call", "call", "a call that never ends", LOOPS),
  component("trap-in-call", "call", "a call that traps", TRAPS),
  component("stack-overflow", "call", "endless depth", /stack|deep/i),
  component("memory-huge", "start", "4 GiB from the start", MEMORY),
  component("memory-grows", "call", "all memory, and a trap", TRAPS),
  component(
    "memory-grows-for-ever",
    "call",
    "all memory, again and again",
    LOOPS,
  ),
  component(
    "tables-huge",
    "start",
    "tables of 200 million entries",
    /table|memory/i,
  ),
  component("table-grows", "call", "a table as large as it gets"),
  component("text-invalid", "call", "a text that is not UTF-8"),
  component("text-outside", "call", "a text outside of the memory", OUTSIDE),
  component(
    "text-huge",
    "call",
    "a text of 100 MB",
    /large|limit|long|MiB|bytes/i,
  ),
  component(
    "result-outside",
    "call",
    "a result outside of the memory",
    OUTSIDE,
  ),
  component("result-unaligned", "call", "a result between two words", /./),
  component("post-return-loops", "call", "an end that never ends", LOOPS),
  component("post-return-traps", "call", "an end that traps", TRAPS),
  component(
    "post-return-overflows",
    "call",
    "an end of endless depth",
    /stack|deep/i,
  ),
  component(
    "realloc-outside",
    "call",
    "arguments outside of the memory",
    OUTSIDE,
  ),
  component("realloc-loops", "call", "arguments that never arrive", LOOPS),
  component(
    "values-outside",
    "call",
    "values that their types do not have",
    /./,
  ),

  component(
    "import-unknown",
    "read",
    "an interface of another host",
    /evil:host\/secrets/,
  ),
  component("import-function", "read", "a function of the host", /run-shell/),
  component(
    "import-like-wasi",
    "read",
    "names like those of WASI",
    /wasi:filesystem-evil|wasi-evil:io/,
  ),
  component(
    "import-wrong-type",
    "call",
    "a function of WASI with another type",
    /./,
  ),
  component(
    "import-missing-function",
    "start",
    "a function that WASI does not have",
    /become/i,
  ),
  component(
    "import-name-quote",
    "read",
    "an import's name that ends a string",
    INVALID,
  ),
  component("random-huge", "call", "4 GiB of random bytes", /./),

  component(
    "inject-export",
    "start",
    "code in the name of a core export; see withCode()",
  ),
  component(
    "inject-import",
    "start",
    "code in the name of a core import; see withCode()",
    /./,
  ),
  component(
    "names-of-core-exports",
    "start",
    "code in names of core exports",
    /./,
  ),
  component(
    "names-of-core-imports",
    "start",
    "code in names of core imports",
    /./,
  ),
  component("export-name-quote", "read", "a name that ends a string", INVALID),
  component(
    "export-name-comment",
    "read",
    "a name that ends a comment",
    INVALID,
  ),
  component("export-name-line", "read", "a name that ends a line", INVALID),
  component("export-name-proto", "read", "the name of the prototype", INVALID),
  component(
    "names-equal",
    "read",
    "names that are one but for their case",
    INVALID,
  ),
  component("name-of-glue", "start", "names that the glue has", /./),
  component("names-reserved", "call", "names that JavaScript has"),
  component("names-reserved-python", "call", "names that Python has"),
  component(
    "name-then",
    "start",
    "a module that is a promise, and never settles",
  ),
  component("name-eval", "start", "names that strict code cannot define", /./),
  component("fields-reserved", "call", "fields that objects have"),
  component("cases-reserved", "call", "cases that objects have"),
  component("version-words", "call", "a version with words"),
  component("custom-names", "call", "custom sections with odd names"),
  component("custom-broken", "call", "custom sections with wrong lengths"),
  component("docs-words", "call", "docs that are code and orders"),
  component("docs-proto", "call", "docs with a prototype"),
  component("docs-not-json", "call", "docs that are not JSON"),
  component("docs-twice", "call", "docs that are there twice"),
  component("no-exports", "read", "no function", /export|function/i),

  component("exports-10000", "call", "10,000 functions"),
  component("instances-400", "call", "400 interfaces"),
  component("instances-2000", "read", "2000 interfaces", /limit/i),
  component(
    "modules-1000",
    "read",
    "1000 core modules with no function",
    /export|function|limit|memory/i,
  ),
  component("types-deep-90", "call", "a type of depth 90"),
  component(
    "types-deep-1000",
    "read",
    "a type of depth 1000",
    /deep|nest|depth|limit|size/i,
  ),
  component("types-doubled-15", "call", "a type of 32,768 leaves in 15 lines"),
  component(
    "types-doubled-60",
    "read",
    "a type of a quintillion leaves in 60 lines",
    /large|size|limit/i,
  ),
  component("record-1000", "call", "a record of 1000 fields"),
  component(
    "record-50000",
    "read",
    "a record of 50,000 fields",
    /limit|large|size|field/i,
  ),
  component("enum-10000", "call", "an enum of 10,000 cases"),
  component("flags-33", "read", "flags of 33 names", /flags|32/i),
  component("params-1000", "call", "a function of 1000 arguments"),
  component("name-long", "call", "a name of 90,000 letters"),
]);

/** Components in each other, by the binary format: section 4 is a component. */
function nested(depth: number): Uint8Array<ArrayBuffer> {
  // From the inside out, with the parts before each inner one kept in turn.
  const parts: number[][] = [];
  let length = HEADER.length;
  for (let level = 0; level < depth; level++) {
    const start = [...HEADER, 4, ...toLeb(length)];
    parts.push(start);
    length += start.length;
  }
  return new Uint8Array([...parts.reverse().flat(), ...HEADER]);
}

/** An unsigned number, as WebAssembly writes it. */
function toLeb(value: number): number[] {
  const low = value & 127;
  return value < 128 ? [low] : [low | 128, ...toLeb(value >>> 7)];
}

/** A component that does as it should, after a custom section of padding. */
export async function padded(
  mib: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const guest = await readGuest("rust");
  const body = mib << 20;
  const header = [0, ...toLeb(body + 4), 3, ...encoder.encode("pad")];
  const file = new Uint8Array(guest.length + header.length + body);
  file.set(guest);
  file.set(header, guest.length);
  return file;
}

/**
 * A component whose glue runs code of its choice, as jco 0.15.0 does not quote the names of
 * core exports and imports. It has a function `run`, which gives "ok".
 *
 * @param code Statements, at most 1000 bytes; in `inject-export`, `exports0.memory` is the memory.
 */
export async function withCode(
  name: "inject-export" | "inject-import",
  code: string,
): Promise<Uint8Array<ArrayBuffer>> {
  return fill(await readGuest(name), `/*code:${".".repeat(1000)}*/`, code, " ");
}

/**
 * A component of the glue's code: its function `run` gives what an expression gave, at most
 * 1000 bytes, or the error that it threw.
 */
export function telling(expression: string): Promise<Uint8Array<ArrayBuffer>> {
  return withCode(
    "inject-export",
    `{let t;try{t=String(${expression})}catch(e){t=String(e)}` +
      `t=new TextEncoder().encode(t).slice(0,1000);const b=exports0.memory.buffer;` +
      `new Uint8Array(b).set(t,16);new DataView(b).setUint32(12,t.length,true)}`,
  );
}

/** Modes of `rust/liar`, a server of the world `mcp-wasm:server`, and what each lies about. */
export const LIES = {
  "initialize-traps": "it cannot be greeted",
  "initialize-loops": "its greeting never ends",
  "odd-info": "its name would be code, and its capabilities have the prototype",
  "long-info": "its name has 10 MB",
  "many-capabilities": "it has 100,000 capabilities",
  "deep-capabilities": "a capability has 100,000 levels",
  "no-capabilities": "it says that it has none, and has tools",
  "notify-traps": "it cannot be notified",
  "notify-loops": "a notification never ends",
  "list-traps": "it cannot list its tools",
  "list-loops": "its list never ends",
  "list-empty": "it has no tool",
  "schema-not-json": "a schema is not JSON",
  "schema-empty": "a schema is an empty text",
  "schema-not-object": "a schema is a list",
  "schema-null": "a schema is null",
  "schema-wrong-type": "a schema wants a text in the place of an object",
  "schema-wrong-words": "a schema has wrong types in its words",
  "schema-huge": "a schema has a million properties",
  "schema-deep": "a schema has 100,000 levels",
  "schema-ref-loop": "references in a schema go in a circle",
  "schema-ref-self": "a schema refers to itself",
  "schema-ref-outside": "references of a schema lead to a host and a file",
  "schema-proto": "a schema has the prototype of objects as a property",
  "schema-slow-pattern": "a schema has a pattern that takes for ever",
  "tools-many": "it has 100,000 tools",
  "tools-equal": "two tools have one name",
  "tools-one-in-python": "three tools have one name in Python",
  "names-odd": "tools have names of other things, and none",
  "name-long": "a tool's name has 1 MB",
  "description-long": "a tool's description has 50 MB",
  "text-invalid": "a tool's name is not UTF-8",
  "prints-in-list": "it prints 20 MB as it lists its tools",
  "call-traps": "each call traps",
  "call-overflows": "each call is endlessly deep",
  "call-prints-for-ever": "each call prints without an end",
  "call-exits": "each call ends the program",
  "result-huge": "each result has 100 MB",
  "result-invalid": "each result is not UTF-8",
  "result-odd": "each result would be code, if it were not quoted",
  "result-like-json": "each result looks like messages of the protocol",
  "image-not-base64": "an image is not base64",
  "image-odd-type": "an image has an odd type",
  "image-html": "an image is a page with a script",
  "resource-odd-uri": "an embedded resource has no URI",
  "resource-file-uri": "an embedded resource claims to be a file of the host",
  "prompts-trap": "it cannot list its prompts",
  "prompts-many": "it has 100,000 prompts",
  "prompts-odd": "prompts have odd names, and one name twice",
  "resources-trap": "it cannot list its resources",
  "resources-fail": "the list of its resources is an error with odd words",
  "resources-many": "it has 100,000 resources",
  "resources-odd": "resources have odd URIs, and none",
  "read-traps": "no resource can be read",
  "read-fails": "each reading is an error with odd words",
  "read-other-uri": "a reading gives another resource than was asked for",
  "read-not-base64": "a resource is not base64",
  "read-huge": "a resource has 100 MB",
  "read-many": "a reading gives 100,000 resources",
};

/** The server that lies in one way; its one tool is `lie` in most modes. */
export async function liar(
  mode: keyof typeof LIES,
): Promise<Uint8Array<ArrayBuffer>> {
  return fill(
    await readGuest("liar"),
    `mode:${".".repeat(32)}`,
    `mode:${mode}`,
    ".",
  );
}

/** Writes a text over each place of a mark, padded to its length. */
function fill(
  file: Uint8Array<ArrayBuffer>,
  mark: string,
  text: string,
  padding: string,
): Uint8Array<ArrayBuffer> {
  const bytes = encoder.encode(text);
  if (bytes.length > mark.length) {
    throw new RangeError(`"${text}" is longer than ${mark.length} bytes`);
  }
  const start = encoder.encode(mark);
  const [first = 0] = start;
  let places = 0;
  for (
    let at = file.indexOf(first);
    at >= 0;
    at = file.indexOf(first, at + 1)
  ) {
    if (!start.every((byte, index) => file[at + index] === byte)) continue;
    places++;
    file.fill(encoder.encode(padding)[0] ?? 0, at, at + start.length);
    file.set(bytes, at);
  }
  if (places === 0) throw new Error(`there is no place for "${text}"`);
  return file;
}
