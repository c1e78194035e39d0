import type { PyodideInterface } from "../../../../../deps/pyodide.ts";
import { fields } from "../../../../protocol/fields.ts";
import { PIECE_BYTES } from "../../../../protocol/run_files.ts";
import {
  checkIndex,
  encodeIndex,
  type Expected,
} from "../../checkpoint_format.ts";
import { findSecrets, hideSecrets, MOST_PLACES } from "../../secrets.ts";
import type { FromWorker } from "../../../shared/from_worker.ts";
import type { Post } from "../../../shared/backlog.ts";
import { beforePython } from "../boot.ts";
import { timers } from "../doors.ts";
import { loadedLibraries } from "../libraries.ts";
import { whyLibraries } from "./why_libraries.ts";
import type { OpenSnapshot } from "../snapshot.ts";
import { type Inventory, saveFiles, standardNodes } from "./files.ts";
import { nameHiwire } from "./hiwire.ts";
import { diffMemory } from "./pages.ts";
import { clearFreeMemory } from "../memory.ts";

/** Turns of the event loop in which due work ends. */
const TURNS = 3;

export interface SaveOptions {
  /** The facts that readers of the checkpoint expect. */
  expected: Expected;
  snapshot: OpenSnapshot;
  /** Paths of the libraries that the snapshot's Python has loaded. */
  libraries: string[];
  /** Files of a fresh interpreter. */
  inventory: Inventory;
  /** Sends a message once there is room for it. */
  send: Post;
  /** Variables that belong to the host. */
  variables: Record<string, string>;
  /** Whether the host waits for the save: it waits to its end then. */
  begin(): boolean;
  /** Sends the last message. */
  end(message: FromWorker): void;
  /** Leaves in Python's memory the text that the next run prints first. */
  leaveOutput(): void;
  /** Gives Python the host's functions back. */
  connect(): void;
}

/**
 * Prepares to save this interpreter; called before its first run.
 *
 * @returns Sends the pieces of a checkpoint, and its end. The interpreter then goes on.
 */
export function openSaving(
  python: PyodideInterface,
  options: SaveOptions,
): () => Promise<void> {
  const module = Reflect.get(python, "_module");
  const api = Reflect.get(python, "_api");
  const { rest, wake } = python.pyimport("mcp_runner.runner");
  const usedEntries = () =>
    module.wasmTable.length - module.freeTableIndexes.length;
  const entries = usedEntries();
  const standard = standardNodes(python.FS);
  const { memory } = beforePython;
  const variables = JSON.stringify(options.variables);

  return async function save(): Promise<void> {
    try {
      const end = await saveNow();
      if (end) options.end(end);
    } finally {
      // Code of the session runs again: nothing waits for it.
      wake(variables);
      options.connect();
    }
  };

  /** Undefined if the save was given up meanwhile. */
  async function saveNow(): Promise<FromWorker | undefined> {
    if (!memory) return unsaved(["This Pyodide does not show its memory"]);
    await settle();
    try {
      const { reasons, cancelled, preloaded } = parseRest(rest(variables));
      options.leaveOutput();
      await settle();
      // No code of the session, and no event, comes in between from here on.
      if (!options.begin()) return undefined;
      const pending = timers.pending() - cancelled;
      if (pending > 0) reasons.push(`timers are pending: ${pending}`);
      const strange = strangeLibraries();
      reasons.push(...whyLibraries(strange, preloaded));
      const more = usedEntries() - entries;
      // Each library has entries, too.
      if (more > 0 && strange.length === 0) {
        reasons.push(
          `callbacks of ctypes are alive: ${more}. Delete them, and what holds them`,
        );
      }
      const head = nameHiwire(module, api, reasons);
      const files = saveFiles(python.FS, {
        inventory: options.inventory,
        standard,
        reasons,
      });
      if (reasons.length > 0) return unsaved(reasons);
      clearFreeMemory(module);
      const pages = diffMemory(module, memory, options.snapshot);
      const heap: Uint8Array = module.HEAPU8;
      const secrets = findSecrets(heap, pages.ranges, options.variables);
      const copied = secrets.find(({ places }) => places.length > MOST_PLACES);
      if (copied) {
        return unsaved([
          `the code has ${copied.places.length} copies of ${copied.name} (--env)`,
        ]);
      }
      const index = encodeIndex({
        identity: options.expected.identity,
        secrets,
        clock: performance.now(),
        ...pages,
        ...head,
        ...files.saved,
      });
      checkIndex(index, options.expected);
      let bytes = 0;
      const memoryParts = pages.ranges.map(([address, length]): Part => ({
        bytes: heap.subarray(address, address + length),
        onCopied: (copy, at) => hideSecrets(copy, address + at, secrets),
      }));
      const contents = files.contents.map((bytes): Part => ({ bytes }));
      for (
        const piece of toPieces([{ bytes: index }, ...memoryParts, ...contents])
      ) {
        bytes += piece.length;
        options.send({ type: "piece", bytes: piece }, [piece.buffer]);
      }
      return { type: "saved", bytes };
    } catch (error) {
      return unsaved([`its state cannot be read: ${error}`]);
    }
  }

  /** Memory has the addresses of libraries, which only those of the snapshot get again. */
  function strangeLibraries(): string[] {
    return loadedLibraries(module).map(({ path }) => path)
      .filter((path) => !options.libraries.includes(path));
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) {
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** Code may have replaced our own. */
function parseRest(
  json: unknown,
): { reasons: string[]; cancelled: number; preloaded: string[] } {
  const { reasons, cancelled, preloaded } = fields(JSON.parse(`${json}`));
  return {
    reasons: toTexts(reasons),
    cancelled: Number(cancelled),
    preloaded: toTexts(preloaded),
  };
}

function toTexts(data: unknown): string[] {
  return Array.isArray(data) ? data.map(String) : [];
}

function unsaved(reasons: string[]): FromWorker {
  return { type: "unsaved", reasons };
}

/** A part of a checkpoint, which is not copied yet. */
interface Part {
  bytes: Uint8Array;
  /** Told a copy of a part of it, and the place of that. */
  onCopied?(copy: Uint8Array, at: number): void;
}

/** Copies what follows each other: each piece is a message of four processes. */
function* toPieces(
  parts: readonly Part[],
): Generator<Uint8Array<ArrayBuffer>> {
  let piece = new Uint8Array(PIECE_BYTES);
  let used = 0;
  for (const { bytes, onCopied } of parts) {
    for (let at = 0; at < bytes.length;) {
      const some = bytes.subarray(at, at + piece.length - used);
      piece.set(some, used);
      onCopied?.(piece.subarray(used, used + some.length), at);
      at += some.length;
      used += some.length;
      if (used < piece.length) continue;
      yield piece;
      piece = new Uint8Array(PIECE_BYTES);
      used = 0;
    }
  }
  if (used > 0) yield piece.slice(0, used);
}
