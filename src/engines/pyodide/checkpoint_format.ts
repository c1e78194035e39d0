/**
 * The bytes of a saved session: a word, the length of the index, the index as JSON,
 * pages of memory, and contents of files. A hostile guest may have written all of it.
 *
 * @module
 */
import { fields } from "../../protocol/fields.ts";
import { isTextName, LONGEST_PATH } from "../../protocol/workspace_path.ts";
import { FORMS, MOST_PLACES, type SavedSecret } from "./secrets.ts";
import type { FileLimits } from "./worker/file_space.ts";
import { JS_NAMES } from "./worker/js_namespace.ts";
import type { Range } from "./worker/snapshot.ts";

/**
 * Increases whenever earlier checkpoints can no longer be restored: an upgrade then
 * loses all stored sessions, so rather read the earlier form, too.
 */
const CHECKPOINT_FORMAT = 1;
/** "mrps" */
const MAGIC = 0x7370726d;
/** Bytes before the index. */
const START = 8;
export const PAGE = 4096;
const WASM_PAGE = 65_536;

/** The interpreter that a checkpoint belongs to: all of it must be the same. */
export interface Identity {
  format: number;
  /** Name of the environment's folder. */
  environment: string;
  v8: string;
  /** Pyodide's build. */
  build: string;
  /** Entries of the function table before Python starts. */
  tableLength: number;
}

/** An object of JavaScript's that Python holds: one that has a name. */
export type HiwireKey =
  | null
  | { path: [] | [string] }
  | { API: true }
  | { abortSignalAny: true };

export interface SavedMemory {
  /** Length of the whole memory, in bytes. */
  memory: number;
  /** Pages that differ from those of the snapshot; ascending. */
  ranges: Range[];
  /** Pages that are zero, and are not so in the snapshot; ascending. */
  zeros: Range[];
  hiwireKeys: HiwireKey[];
  immortalKeys: string[];
}

/** A file has a size, a link a target, and a folder neither. */
export interface SavedFile {
  path: string;
  /** Permissions. */
  mode: number;
  /** In milliseconds. */
  mtime: number;
  size?: number;
  /** Its number, by which SQLite knows a file again. */
  ino?: number;
  link?: string;
}

/** An open file. */
export interface SavedStream {
  fd: number;
  path: string;
  flags: number;
  position: number;
  /** The descriptor of which it is a copy, by `dup()`. */
  same?: number;
  /** Size of a file that was deleted while it was open. */
  deleted?: number;
}

export interface SavedFiles {
  /** Parents come before their files. */
  files: SavedFile[];
  /** Paths that a fresh interpreter has. */
  removed: string[];
  streams: SavedStream[];
  cwd: string;
}

export interface CheckpointIndex extends SavedMemory, SavedFiles {
  identity: Identity;
  /** Where the variables of the host stand, whose bytes are left out. */
  secrets: SavedSecret[];
  /** Reading of the clock that starts with an interpreter, in milliseconds. */
  clock: number;
}

/** A checkpoint that was checked. */
export interface Checkpoint extends CheckpointIndex {
  /** Pages, and then contents of files. */
  body: Uint8Array;
}

/** All that a checkpoint is checked against. */
export interface Expected {
  identity: Identity;
  /** Length of the snapshot's memory, in bytes. */
  snapshotBytes: number;
  memoryBytes: number;
  fileLimits: FileLimits;
  /** Names of JavaScript that Python may hold. */
  names: ReadonlySet<string>;
}

export function toExpected(
  { identity, snapshot, memoryBytes, fileLimits }:
    & Omit<Expected, "snapshotBytes" | "names">
    & { snapshot: { memory: number } },
): Expected {
  return {
    identity,
    memoryBytes,
    fileLimits,
    names: JS_NAMES,
    snapshotBytes: snapshot.memory,
  };
}

export function toIdentity(more: Omit<Identity, "format">): Identity {
  return { format: CHECKPOINT_FORMAT, ...more };
}

/** All bytes that a checkpoint may have. */
export function mostBytes(
  { memoryBytes, fileLimits }: Pick<Expected, "memoryBytes" | "fileLimits">,
): number {
  return START + LONGEST_INDEX + memoryBytes + fileLimits.bytes;
}

/** Writes all but the body. */
export function encodeIndex(index: CheckpointIndex): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(index));
  const bytes = new Uint8Array(START + text.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, text.length, true);
  bytes.set(text, START);
  return bytes;
}

const LONGEST_INDEX = 1 << 25;
const MOST_KEYS = 10_000;
const LONGEST_KEY = 1000;
const MOST_SECRETS = 1000;
const MOST_STREAMS = 4096;
/** The streams of Python itself. */
export const FIRST_FD = 3;
const MODES = 0o7777;
/** `O_ACCMODE`, and what `open()` may change later: `O_APPEND`, `O_NONBLOCK`. */
const FLAGS = 0o3 | 0o2000 | 0o4000 | 0o100000 | 0o200000 | 0o2000000;
const MOST_INO = 2 ** 31;
/** No date lies beyond it. */
const MOST_MS = 8.64e15;
const MOST = Number.MAX_SAFE_INTEGER;
const ROOTS = ["/workspace", "/tmp", "/home"];

/** Whether a session may have files of this path. */
export function isInRoots(path: string): boolean {
  return ROOTS.some((root) => path === root || path.startsWith(`${root}/`));
}

/**
 * Refuses to write a checkpoint that no reader would accept.
 *
 * @param bytes All but the body.
 * @throws {RangeError} If a reader would refuse it; the message ends a sentence.
 */
export function checkIndex(bytes: Uint8Array, expected: Expected): void {
  if (bytes.length > START + LONGEST_INDEX) refuse("has too many files");
  parseIndex(bytes.subarray(START), expected);
}

/**
 * Reads a checkpoint before any worker sees it.
 *
 * @throws {RangeError} If it is not of this interpreter, or no interpreter can have
 * been in this state; the message ends a sentence.
 */
export function parseCheckpoint(
  bytes: Uint8Array,
  expected: Expected,
): Checkpoint {
  if (bytes.length < START || bytes.length > mostBytes(expected)) {
    refuse(`has ${bytes.length} bytes`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, START);
  const length = view.getUint32(4, true);
  const isOurs = view.getUint32(0, true) === MAGIC;
  if (!isOurs || length > LONGEST_INDEX || START + length > bytes.length) {
    refuse("is not of this program");
  }
  const index = parseIndex(bytes.subarray(START, START + length), expected);
  const body = bytes.subarray(START + length);
  const sizes = [
    ...index.ranges.map(([, length]) => length),
    ...index.files.map(({ size = 0 }) => size),
    ...index.streams.map(({ deleted = 0 }) => deleted),
  ];
  if (sumOf(sizes) !== body.length) refuse("has another length than it says");
  return { ...index, body };
}

function parseIndex(bytes: Uint8Array, expected: Expected): CheckpointIndex {
  const data = readIndex(bytes);
  checkIdentity(data.identity, expected.identity);
  const secrets = toList(data.secrets, MOST_SECRETS, "variables")
    .map(parseSecret);
  if (sumOf(secrets.map(({ places }) => places.length)) > MOST_PLACES) {
    refuse("has too many places of variables");
  }
  return {
    identity: expected.identity,
    secrets,
    ...parseMemory(data, expected),
    ...parseFiles(data, expected.fileLimits),
    clock: toNumber(data.clock, 0, MOST_MS, "a clock"),
  };
}

function readIndex(bytes: Uint8Array): Record<string, unknown> {
  try {
    return fields(
      JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
    );
  } catch {
    return refuse("has a damaged index");
  }
}

function checkIdentity(data: unknown, expected: Identity): void {
  const given = fields(data);
  for (const [name, value] of Object.entries(expected)) {
    if (given[name] !== value) refuse(`is of another ${NAMES[name] ?? name}`);
  }
}

const NAMES: Record<string, string> = {
  format: "format",
  v8: "version of V8",
  build: "Pyodide",
  tableLength: "start of Pyodide",
};

function parseMemory(
  data: Record<string, unknown>,
  { snapshotBytes, memoryBytes, names }: Expected,
): SavedMemory {
  const memory = toCount(data.memory, memoryBytes, "a memory");
  if (memory % WASM_PAGE !== 0 || memory < snapshotBytes) {
    refuse(`has a memory of ${memory} bytes`);
  }
  const ranges = toList(data.ranges, memory / PAGE, "ranges")
    .map((one) => parseRange(one, memory));
  const zeros = toList(data.zeros, memory / PAGE, "ranges")
    .map((one) => parseRange(one, memory));
  for (const list of [ranges, zeros]) checkAscending(list);
  checkAscending([...ranges, ...zeros].sort(([a], [b]) => a - b));
  return {
    memory,
    ranges,
    zeros,
    hiwireKeys: toList(data.hiwireKeys, MOST_KEYS, "objects")
      .map((one) => parseKey(one, names)),
    immortalKeys: toList(data.immortalKeys, MOST_KEYS, "names")
      .map((one) => toText(one, LONGEST_KEY)),
  };
}

function parseRange(data: unknown, memory: number): Range {
  const [offset, length] = toList(data, 2, "ranges");
  const range: Range = [
    toCount(offset, memory, "a range"),
    toCount(length, memory, "a range"),
  ];
  const isWhole = range.every((number) => number % PAGE === 0);
  if (!isWhole || range[1] === 0 || range[0] + range[1] > memory) {
    refuse("has a range outside of its memory");
  }
  return range;
}

function checkAscending(ranges: readonly Range[]): void {
  let end = 0;
  for (const [offset, length] of ranges) {
    if (offset < end) refuse("has ranges that overlap");
    end = offset + length;
  }
}

/** The worker looks a path up step by step: only known names are safe. */
function parseKey(data: unknown, names: ReadonlySet<string>): HiwireKey {
  if (data === null) return null;
  const { path, API, abortSignalAny } = fields(data);
  if (API === true) return { API };
  if (abortSignalAny === true) return { abortSignalAny };
  const [name, ...more] = toList(path, 1, "steps");
  if (name === undefined && more.length === 0) return { path: [] };
  if (typeof name === "string" && names.has(name)) return { path: [name] };
  return refuse("holds an object that has no name");
}

function parseSecret(data: unknown): SavedSecret {
  const { name, form, length, places } = fields(data);
  return {
    name: toText(name, LONGEST_KEY),
    form: toCount(form, FORMS - 1, "a form"),
    length: toCount(length, MOST_INO, "a length"),
    places: toList(places, MOST_PLACES, "places").map((place) =>
      toCount(place, MOST, "a place")
    ),
  };
}

function parseFiles(
  data: Record<string, unknown>,
  { bytes, nodes }: FileLimits,
): SavedFiles {
  const files = toList(data.files, nodes, "files").map(parseFile);
  const removed = toList(data.removed, nodes, "files").map(toRootedPath);
  const streams = toList(data.streams, MOST_STREAMS, "open files")
    .map(parseStream);
  checkParents(files);
  checkStreams(streams);
  const size = sumOf([
    ...files.map(({ size = 0 }) => size),
    ...streams.map(({ deleted = 0 }) => deleted),
  ]);
  if (size > bytes) refuse("has larger files than there may be");
  return { files, removed, streams, cwd: toPath(data.cwd) };
}

function parseFile(data: unknown): SavedFile {
  const { path, mode, mtime, size, ino, link } = fields(data);
  return {
    path: toRootedPath(path),
    mode: toCount(mode, MOST, "a mode") & MODES,
    mtime: toNumber(mtime, -MOST_MS, MOST_MS, "a time"),
    ...(size === undefined ? {} : { size: toCount(size, MOST, "a size") }),
    ...(ino === undefined ? {} : { ino: toCount(ino, MOST_INO, "a number") }),
    ...(link === undefined ? {} : { link: toText(link, LONGEST_PATH) }),
  };
}

/** Each path once, and nothing below a file or a link. */
function checkParents(files: readonly SavedFile[]): void {
  for (const { path, size, link } of files) {
    const isFolder = size === undefined && link === undefined;
    if (!isFolder && ROOTS.includes(path)) refuse(`has ${path} as a file`);
    if (size !== undefined && link !== undefined) {
      refuse("has a file as a link");
    }
  }
  // So sorted, what is below a path follows it.
  const sorted = files.map((file) => ({ ...file, path: `${file.path}/` }))
    .sort(({ path: a }, { path: b }) => a < b ? -1 : 1);
  for (const [at, { path, size, link }] of sorted.entries()) {
    const next = sorted[at + 1]?.path;
    if (next === path) refuse("has a file twice");
    const isFolder = size === undefined && link === undefined;
    if (!isFolder && next?.startsWith(path)) {
      refuse("has a file below a file");
    }
  }
}

function parseStream(data: unknown): SavedStream {
  const { fd, path, flags, position, same, deleted } = fields(data);
  return {
    fd: toCount(fd, MOST_STREAMS - 1, "a descriptor"),
    path: toPath(path),
    flags: toCount(flags, MOST, "flags") & FLAGS,
    position: toCount(position, MOST, "a position"),
    ...(same === undefined
      ? {}
      : { same: toCount(same, MOST_STREAMS - 1, "a descriptor") }),
    ...(deleted === undefined
      ? {}
      : { deleted: toCount(deleted, MOST, "a size") }),
  };
}

function checkStreams(streams: readonly SavedStream[]): void {
  const before = new Set<number>();
  for (const { fd, same, deleted } of streams) {
    const isCopy = same !== undefined;
    if (fd < FIRST_FD || before.has(fd) || isCopy && deleted !== undefined) {
      refuse("has a descriptor that no code can have");
    }
    if (isCopy && !before.has(same)) refuse("has a copy of no descriptor");
    before.add(fd);
  }
}

function toRootedPath(data: unknown): string {
  const path = toPath(data);
  return isInRoots(path) ? path : refuse(`has a file outside of ${ROOTS}`);
}

/** No name, `.` or `..`. */
const NO_NAME = /\/\.{0,2}(\/|$)/;

/** An absolute path in the one form that names a place. */
function toPath(data: unknown): string {
  const path = toText(data, LONGEST_PATH);
  const isNormal = path === "/" ||
    path.startsWith("/") && !NO_NAME.test(path) && !path.includes("\0") &&
      isTextName(path);
  return isNormal ? path : refuse("has a path that is not normal");
}

function toText(data: unknown, longest: number): string {
  if (typeof data === "string" && data.length <= longest) return data;
  return refuse("has a text that is too long");
}

function toCount(data: unknown, most: number, name: string): number {
  if (!Number.isInteger(data)) refuse(`has ${name} out of bounds`);
  return toNumber(data, 0, most, name);
}

function toNumber(
  data: unknown,
  least: number,
  most: number,
  name: string,
): number {
  const isSound = typeof data === "number" && data >= least && data <= most;
  if (!isSound) refuse(`has ${name} out of bounds`);
  return Number(data);
}

function toList(data: unknown, most: number, name: string): unknown[] {
  if (Array.isArray(data) && data.length <= most) return data;
  return refuse(`has too many ${name}`);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

function refuse(reason: string): never {
  throw new RangeError(`the saved session ${reason}`);
}
