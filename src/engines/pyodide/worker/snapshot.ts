import { type Copy, openStored, type StoredBytes } from "./stored_bytes.ts";

const PAGE = 4096;

/** Increases whenever earlier snapshots can no longer be restored. */
export const SNAPSHOT_FORMAT = 2;

/** The start of a range of memory, and its length; in bytes. */
export type Range = [offset: number, length: number];

export interface Snapshot extends SnapshotIndex {
  /** Pyodide's head, then the ranges, one after the other. */
  bytes: Uint8Array;
}

/** A snapshot in memory, or in its file. */
export interface OpenSnapshot extends SnapshotIndex {
  bytes: Uint8Array | StoredBytes;
}

/** Where the bytes of a snapshot belong; lengths are in bytes. */
export interface SnapshotIndex {
  /** Length of Pyodide's data beside the memory. */
  head: number;
  /** Length of the memory. */
  memory: number;
  /** Entries of the function table before Python starts. */
  tableLength: number;
  /** Ranges of the memory that are not zero; ascending. */
  ranges: Range[];
}

/** The part of the Emscripten module that this file uses. */
export interface EmscriptenMemory {
  HEAPU8: Uint8Array;
  wasmTable: WebAssembly.Table;
  growMemory(bytes: number): unknown;
}

/**
 * Removes the zeros from a snapshot: half the size to read, to copy and to keep for
 * each interpreter.
 *
 * @param whole The result of `makeMemorySnapshot()`: its second word is the offset
 * of the memory.
 */
export function packSnapshot(
  whole: Uint8Array,
  { tableLength }: Pick<SnapshotIndex, "tableLength">,
): Snapshot {
  const head = new Uint32Array(whole.buffer, whole.byteOffset, 2)[1] ?? 0;
  const memory = whole.subarray(head);
  const ranges: SnapshotIndex["ranges"] = [];
  for (let offset = 0; offset < memory.length; offset += PAGE) {
    const length = Math.min(PAGE, memory.length - offset);
    if (isZero(memory.subarray(offset, offset + length))) continue;
    const last = ranges.at(-1);
    if (last && last[0] + last[1] === offset) last[1] += length;
    else ranges.push([offset, length]);
  }
  const kept = ranges.reduce((sum, [, length]) => sum + length, 0);
  const bytes = new Uint8Array(head + kept);
  bytes.set(whole.subarray(0, head));
  let at = head;
  for (const [offset, length] of ranges) {
    bytes.set(memory.subarray(offset, offset + length), at);
    at += length;
  }
  return { head, memory: memory.length, tableLength, ranges, bytes };
}

/** Pyodide's own part of a snapshot, without memory. */
export function snapshotHead({ bytes, head }: OpenSnapshot): Uint8Array {
  const target = new Uint8Array(head);
  toCopy(bytes)(0, target);
  return target;
}

/**
 * Copies a snapshot into the memory of an interpreter that has just started.
 *
 * @param dirty Ranges that the start may have written to, and that matter. The
 * rest is still zero and is not touched: the first write to a page costs time,
 * even a write of zeros.
 */
export function restoreMemory(
  module: EmscriptenMemory,
  { bytes, head, memory, ranges }: OpenSnapshot,
  dirty: Range[],
): void {
  growTo(module, memory);
  const heap = module.HEAPU8;
  const copy = toCopy(bytes);
  let at = head;
  let end = 0;
  for (const [offset, length] of [...ranges, [memory, 0] as const]) {
    for (const [from, size] of dirty) {
      const start = Math.max(from, end);
      heap.fill(0, start, Math.max(start, Math.min(from + size, offset)));
    }
    copy(at, heap.subarray(offset, offset + length));
    at += length;
    end = offset + length;
  }
}

export function growTo(module: EmscriptenMemory, bytes: number): void {
  if (module.HEAPU8.length < bytes) module.growMemory(bytes);
}

export function toCopy(bytes: OpenSnapshot["bytes"]): Copy {
  if ("window" in bytes) return openStored(bytes);
  return (place, target) =>
    target.set(bytes.subarray(place, place + target.length));
}

function isZero(page: Uint8Array): boolean {
  // Ten times as fast as `every()`: a snapshot has tens of millions of bytes.
  for (let at = 0; at < page.length; at++) if (page[at] !== 0) return false;
  return true;
}
