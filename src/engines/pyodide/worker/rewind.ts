// deno-lint-ignore-file camelcase -- Emscripten's names

import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import type { Anew, AnewCause } from "../../../protocol/rewinding.ts";
import { MIB } from "../../../units.ts";
import { beforePython } from "./boot.ts";
import { entriesOf } from "./checkpoint/hiwire.ts";
import type { FileSpace } from "./file_space.ts";
import { keepFiles } from "./kept_files.ts";
import { reach } from "./reach.ts";

/** Memory that is filled with zeros faster than an interpreter is made. */
const MOST_GROWN = 64 * MIB;
/** Turns of the event loop in which due work ends. */
const TURNS = 3;
/** Strings that Python keeps for good, beyond those of the start. */
const MOST_IMMORTALS = 1000;

/** The part of the Emscripten module that this file uses. */
interface Module {
  wasmTable: WebAssembly.Table;
  freeTableIndexes: number[];
  LDSO: Record<"loadedLibsByName" | "loadedLibsByHandle", object>;
  TTY?: object;
  __hiwire_get(index: number): unknown;
  __hiwire_set(index: number, value: unknown): unknown;
  __hiwire_immortal_get(index: number): unknown;
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
    super(anew.detail);
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
  const { memory, exports } = beforePython;
  let putBack: (() => void) | undefined;
  return { keep, rewind };

  function keep(): void {
    if (!memory || !reach.references || reach.isPending) return;
    reach.begin();
    const parts = [
      keepMemory(memory),
      keepGlobals(exports),
      keepReferences(module, reach.references),
      keepTable(module),
      keepFiles(python.FS, beside.space, module.TTY),
    ];
    putBack = () => parts.forEach((part) => part());
  }

  async function rewind(): Promise<Anew | undefined> {
    try {
      if (!putBack) throw unclean("not-kept", "it was not kept");
      for (let turn = 0; turn < TURNS && reach.isPending; turn++) {
        await new Promise((resolve) => setTimeout(resolve));
      }
      if (reach.name) throw unclean("javascript", reach.name);
      const { suspended, pending } = reach;
      if (suspended.size > 0) {
        throw unclean("pending", `stacks: ${suspended.size}`);
      }
      if (pending > 0) throw unclean("pending", `promises: ${pending}`);
      putBack();
      reach.begin();
      beside.forget();
      beside.renew();
      return undefined;
    } catch (error) {
      putBack = undefined;
      return error instanceof Unclean
        ? error.anew
        : { cause: "files", detail: `${error}`.slice(0, 200) };
    }
  }
}

function unclean(cause: AnewCause, detail: string): Unclean {
  return new Unclean({ cause, detail });
}

function keepMemory(memory: WebAssembly.Memory): () => void {
  const kept = new Uint8Array(memory.buffer).slice();
  return () => {
    const now = new Uint8Array(memory.buffer);
    const grown = now.length - kept.length;
    if (grown > MOST_GROWN) {
      throw unclean("memory", `it grew by ${Math.round(grown / MIB)} MiB`);
    }
    now.set(kept);
    // It never shrinks.
    now.fill(0, kept.length);
  };
}

/** The globals of WebAssembly that Python's code changes: its stack's place. */
function keepGlobals(exports: WebAssembly.Exports): () => void {
  const kept: [WebAssembly.Global, unknown][] = [];
  for (const it of Object.values(exports)) {
    if (it instanceof WebAssembly.Global && isMutable(it)) {
      kept.push([it, it.value]);
    }
  }
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
  const immortals = () =>
    [...entriesOf((at) => module.__hiwire_immortal_get(at))].length;
  const kept = [...all()];
  const known = [...references];
  const strings = immortals();
  return () => {
    const more = immortals() - strings;
    if (more > MOST_IMMORTALS) throw unclean("javascript", `${more} strings`);
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
