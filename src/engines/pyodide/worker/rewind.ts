// deno-lint-ignore-file camelcase -- Emscripten's names

import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import type { Anew, AnewCause } from "../../../protocol/rewinding.ts";
import { MIB } from "../../../units.ts";
import { PAGE } from "../checkpoint_format.ts";
import { beforePython } from "./boot.ts";
import { entriesOf } from "./checkpoint/hiwire.ts";
import { timers } from "./doors.ts";
import { addPage, compare } from "./checkpoint/pages.ts";
import type { FileSpace } from "./file_space.ts";
import { keepFiles } from "./kept_files.ts";
import { LOADS, reach } from "./reach.ts";
import type { Range } from "./snapshot.ts";

/** Memory that is filled with zeros faster than an interpreter is made. */
const MOST_GROWN = 64 * MIB;
/** Turns of the event loop in which due work ends. */
const TURNS = 3;

/** The part of the Emscripten module that this file uses. */
interface Module {
  wasmTable: WebAssembly.Table;
  freeTableIndexes: number[];
  LDSO: Record<"loadedLibsByName" | "loadedLibsByHandle", object>;
  TTY?: object;
  __hiwire_get(index: number): unknown;
  __hiwire_set(index: number, value: unknown): unknown;
}

/** What the worker has beside Python. */
export interface Beside {
  space: FileSpace;
  /** Forgets what runs have left in it. */
  forget(): void;
  /** Turns the random numbers and clocks of Python into those of a fresh start. */
  renew(): void;
}

/** An interpreter is not proved to be clean. */
class Unclean extends Error {
  constructor(readonly anew: Anew) {
    super();
  }
}

/**
 * Prepares to rewind this interpreter: to make it what it was when it was kept.
 *
 * At rest an interpreter is its memory and what JavaScript holds for it. The memory is
 * written back whole; what JavaScript holds is put back, or must be as it was.
 */
export function openRewinding(python: PyodideInterface, beside: Beside) {
  const module: Module = Reflect.get(python, "_module");
  const api: object = Reflect.get(python, "_api");
  const { memory, globals } = beforePython;
  let putBack: (() => void) | undefined;
  return { keep, rewind };

  function keep(): void {
    if (!memory || !reach.references) return;
    if (reach.pending > 0 || timers.pending() > 0) return;
    reach.name = undefined;
    // After a fatal error Pyodide's functions throw, and Python can see it.
    Reflect.set(api, "on_fatal", () => reach.note("fatal error"));
    const parts = [
      keepMemory(memory),
      keepGlobals(globals),
      keepReferences(module, reach.references),
      keepTable(module),
      keepFiles(python.FS, beside.space, module.TTY),
    ];
    putBack = () => parts.forEach((part) => part());
  }

  async function rewind(): Promise<Anew | undefined> {
    try {
      if (!putBack) throw unclean("not-kept", "it was not kept");
      for (let turn = 0; turn < TURNS && reach.pending > 0; turn++) {
        await new Promise((resolve) => setTimeout(resolve));
      }
      const { name, pending } = reach;
      if (name) {
        throw unclean(LOADS.test(name) ? "library" : "javascript", name);
      }
      if (pending > 0) throw unclean("pending", `promises: ${pending}`);
      putBack();
      reach.begin();
      beside.forget();
      beside.renew();
      return undefined;
    } catch (error) {
      putBack = undefined;
      if (error instanceof Unclean) return error.anew;
      const cause = Reflect.has(Object(error), "errno") ? "files" : "engine";
      return { cause, detail: String(error) };
    }
  }
}

function unclean(cause: AnewCause, detail: string): Unclean {
  return new Unclean({ cause, detail });
}

/**
 * Keeps the pages that are not zero. The others are half of them, and most are never
 * touched: they take no memory of the machine until they are written, with zeros too.
 */
function keepMemory(memory: WebAssembly.Memory): () => void {
  const { zero } = compare(memory, new WebAssembly.Memory({ initial: 0 }));
  const size = memory.buffer.byteLength;
  const kept: Range[] = [];
  const zeros: Range[] = [];
  for (let page = 0; page < size; page += PAGE) {
    addPage(zero(page) ? zeros : kept, page);
  }
  const heap = new Uint8Array(memory.buffer);
  const copies = kept.map(([offset, length]) =>
    heap.slice(offset, offset + length)
  );
  return () => {
    const now = new Uint8Array(memory.buffer);
    const grown = now.length - size;
    if (grown > MOST_GROWN) {
      throw unclean("memory", `it grew by ${Math.round(grown / MIB)} MiB`);
    }
    for (const [at, [offset]] of kept.entries()) now.set(copies[at]!, offset);
    // It never shrinks.
    for (const [offset, length] of [...zeros, [size, grown] as const]) {
      for (let page = offset; page < offset + length; page += PAGE) {
        if (!zero(page)) now.fill(0, page, page + PAGE);
      }
    }
  };
}

/** The globals of WebAssembly that Python's code changes: its stack's place. */
function keepGlobals(globals: readonly WebAssembly.Global[]): () => void {
  const kept = globals.filter(isMutable).map((it) => [it, it.value] as const);
  return () => kept.forEach(([it, value]) => it.value = value);
}

function isMutable(it: WebAssembly.Global): boolean {
  try {
    const { value } = it;
    it.value = value;
    return true;
  } catch {
    return false;
  }
}

/** The objects of JavaScript's that Python refers to, which are outside of its memory. */
function keepReferences(
  module: Module,
  references: Map<unknown, unknown>,
): () => void {
  const all = () => entriesOf((at) => module.__hiwire_get(at));
  const kept = [...all()];
  const known = [...references];
  return () => {
    let at = 0;
    for (const it of all()) {
      if (it !== kept[at]) module.__hiwire_set(at, kept[at]);
      at++;
    }
    references.clear();
    for (const [it, reference] of known) references.set(it, reference);
  };
}

function keepTable(module: Module): () => void {
  const tell = () =>
    JSON.stringify([
      module.wasmTable.length,
      module.freeTableIndexes.length,
      ...Object.values(module.LDSO).map((loaded) => Object.keys(loaded).length),
    ]);
  const kept = tell();
  return () => {
    const now = tell();
    if (now !== kept) throw unclean("library", `${kept} became ${now}`);
  };
}
