/**
 * Components that harm, and bytes that are none: what each tries, and the words of what
 * comes of it. Each is a file of `hostile/`, a text of `hostile/generated.ts`, or bytes made here.
 * Servers that lie are in `liar.ts`.
 *
 * @module
 */
import { type GuestName, readGuest } from "../support/guests.ts";
import { HEADER, nested } from "./hostile_bytes.ts";

/** When it shows: as the file is read and made ready, as it starts, or in a call. */
export type Stage = "read" | "start" | "call";

export interface Hostile {
  /** What it tries. */
  tries: string;
  stage: Stage;
  /** Words of the error; undefined if an error is as good as none, as long as the server lives. */
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
/** The start of each core module. */
const CORE_HEADER = [0, 97, 115, 109, 1, 0, 0, 0];

const INVALID = /kebab|valid|pars|component|not a name of WIT/i;
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
    "text",
    "a component as text, which jco reads, too",
    /WebAssembly|component|binary/i,
    () => encoder.encode('(component (import "a:b/c" (instance)))'),
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
    "components in each other, 10,000 times: 118 KB that take jco 20 seconds",
    /deep|nest|depth|limit|time|long|export|function/i,
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
    /wasi:cli\/run-shell/,
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
    "code in the name of a core export; see glue_code.ts",
    /a name of 1029 bytes/,
  ),
  component(
    "inject-import",
    "start",
    "code in the name of a core import; see glue_code.ts",
    /could be code/,
  ),
  component(
    "names-of-core-exports",
    "start",
    "code in names of core exports",
    /could be code/,
  ),
  component(
    "names-of-core-imports",
    "start",
    "code in names of core imports",
    /could be code/,
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
  component("instances-2000", "read", "2000 interfaces", /more than 1000/),
  component(
    "modules-1000",
    "read",
    "1000 core modules with no function",
    /export|function|limit|memory|large/i,
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
    /more than 1000 parts/,
  ),
  component("record-1000", "call", "a record of 1000 fields"),
  component(
    "record-50000",
    "read",
    "a record of 50,000 fields",
    /more than 1000 parts/,
  ),
  component("enum-10000", "call", "an enum of 10,000 cases"),
  component("flags-33", "read", "flags of 33 names", /flags|32/i),
  component("params-1000", "call", "a function of 1000 arguments"),
  component("name-long", "call", "a name of 90,000 letters"),
]);
