import type { Json } from "../../../protocol/run_result.ts";
import type { Stream } from "../../../protocol/run_messages.ts";
import type { CallAnswer } from "./host_call.ts";
import artefact from "../artefact.json" with { type: "json" };
import { openWasi } from "./wasi.ts";

/** A request to the interpreter, as `native/monty/src/bridge.rs` has it. */
export type BridgeRequest =
  | {
    type: "run";
    code: string;
    inputs: Record<string, Json>;
    /** Typed values have their types as tags; shown ones are as `repr()` has them. */
    form: "typed" | "plain" | "shown";
    /** Characters of the value, soon after which it is cut; null never cuts it. */
    room: number | null;
    functions: readonly string[];
    environment: Record<string, string>;
    limits: BridgeLimits;
  }
  | { type: "answer"; answer: BridgeAnswer }
  | { type: "answers"; answers: [id: number, answer: BridgeAnswer][] }
  | { type: "isComplete"; text: string }
  | { type: "abort"; error: { type: string; message: string } };

export interface BridgeLimits {
  maxDurationMs: number;
  maxMemoryBytes: number;
  maxAllocations?: number | undefined;
  gcInterval?: number | undefined;
  maxRecursionDepth?: number | undefined;
}

export type BridgeAnswer = CallAnswer | "pending";

/** The reply to a request: the run has ended, or waits. */
export type BridgeReply =
  | { type: "done"; value: string }
  | { type: "failed"; error: BridgeFailure }
  | {
    type: "call";
    id: number;
    name: string;
    args: Json[];
    kwargs: Record<string, Json>;
    mayWait: boolean;
  }
  | { type: "waits"; ids: number[] }
  | { type: "complete"; isComplete: boolean }
  | { type: "wrong"; reason: string };

export interface BridgeFailure {
  type: string;
  message: string;
  traceback: string;
  /** The limit that was reached. */
  limit: "time" | "memory" | "allocations" | null;
}

interface Exports {
  input(length: number): number;
  output(): number;
  take(): number;
  dump(): number;
  load(): number;
  wasFull(): number;
  ["__stack_pointer"]: WebAssembly.Global;
}

/** The interpreter has ended in the midst of a request: it is of no more use. */
export class Trap extends Error {
  constructor(
    override readonly cause: unknown,
    /** Whether its memory was full. */
    readonly isFull: boolean,
    /** What it said. */
    readonly panic: string,
  ) {
    super(panic || String(cause));
  }
}

/** What an instance is before its first request. */
interface Fresh {
  image: Uint8Array;
  /** The address of the image: all around it is empty. */
  from: number;
  stack: number;
}

/** It is the same for all instances of a module. */
const FRESH = new WeakMap<WebAssembly.Module, Fresh>();

const PAGE = 65536;
const WORD = Int32Array.BYTES_PER_ELEMENT;
const MIB = 1 << 20;
/** Its code's own data and stack, which are not values of Python. */
const OWN_BYTES = 24 * MIB;
/** What one megabyte of values takes more at its peak, while they are moved. */
const SPARE_BYTES = 64 * MIB;
const LONGEST_PANIC = 1000;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** An interpreter: an instance of the WebAssembly with a memory of its own. */
export class Instance {
  #memory: WebAssembly.Memory;
  #exports: Exports;
  #panic = "";
  #fresh: Fresh;

  constructor(
    module: WebAssembly.Module,
    { memoryBytes, isInterrupted, print }: {
      memoryBytes: number;
      isInterrupted(): boolean;
      print(stream: Stream, text: string): void;
    },
  ) {
    const most = Math.ceil((memoryBytes + OWN_BYTES + SPARE_BYTES) / PAGE);
    const memory = new WebAssembly.Memory({
      initial: artefact.pages,
      maximum: Math.min(most, PAGE),
    });
    const instance = new WebAssembly.Instance(module, {
      env: { memory },
      host: {
        print: (isError: number, at: number, length: number) => {
          const text = decoder.decode(this.#bytes(at, length));
          print(isError ? "stderr" : "stdout", text);
        },
      },
      wasi_snapshot_preview1: openWasi(memory, {
        isInterrupted,
        onPanic: (text) => {
          this.#panic = (this.#panic + text).slice(0, LONGEST_PANIC);
        },
      }),
    });
    this.#memory = memory;
    this.#exports = instance.exports as unknown as Exports;
    this.#fresh = FRESH.get(module) ?? this.#keep();
    FRESH.set(module, this.#fresh);
  }

  /** Whether its memory has grown: it stays as large, whatever the code holds. */
  get isGrown(): boolean {
    return this.#memory.buffer.byteLength > artefact.pages * PAGE;
  }

  /**
   * Makes it what it was before its first request: all that an instance can change is
   * its memory and its stack pointer. Another one takes twice the time, and is garbage
   * later.
   *
   * @returns False if it must be thrown away, as its memory has grown.
   */
  reset(): boolean {
    const { image, from, stack } = this.#fresh;
    if (this.isGrown) return false;
    const all = new Uint8Array(this.#memory.buffer);
    all.fill(0, 0, from).fill(0, from + image.length);
    all.set(image, from);
    this.#exports["__stack_pointer"].value = stack;
    this.#panic = "";
    return true;
  }

  /** All that it can change, for tests. */
  inspect(): { memory: Uint8Array; stack: number } {
    const memory = new Uint8Array(this.#memory.buffer);
    return { memory, stack: this.#exports["__stack_pointer"].value };
  }

  /** Copies its memory as far as it is not empty. */
  #keep(): Fresh {
    const { buffer } = this.#memory;
    // A callback for each byte would take 70 ms.
    const words = new Int32Array(buffer);
    let from = 0;
    while (words[from] === 0) from++;
    let end = words.length;
    while (words[end - 1] === 0) end--;
    const at = from * WORD;
    const image = new Uint8Array(buffer, at, (end - from) * WORD).slice();
    return { image, from: at, stack: this.#exports["__stack_pointer"].value };
  }

  /** @throws {Trap} If it has ended. */
  take(request: BridgeRequest): BridgeReply {
    this.#put(encoder.encode(JSON.stringify(request)));
    const length = this.#attempt(() => this.#exports.take());
    const at = this.#exports.output();
    return JSON.parse(decoder.decode(this.#bytes(at, length)));
  }

  /**
   * Its state, with the run that waits.
   *
   * @throws {Trap} If it has ended.
   */
  dump(): Uint8Array<ArrayBuffer> {
    const length = this.#attempt(() => this.#exports.dump());
    return this.#bytes(this.#exports.output(), length).slice();
  }

  /**
   * Goes on from a dump that this very program made.
   *
   * @throws {TypeError} If it is not one.
   * @throws {Trap} If it has ended.
   */
  load(dump: Uint8Array): void {
    this.#put(dump);
    if (this.#attempt(() => this.#exports.load()) === 0) {
      throw new TypeError("The dump is not of this interpreter");
    }
  }

  #put(bytes: Uint8Array): void {
    const at = this.#attempt(() => this.#exports.input(bytes.length));
    this.#bytes(at, bytes.length).set(bytes);
  }

  /** Its memory may grow by each call, and is another object then. */
  #bytes(at: number, length: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(
      this.#memory.buffer as ArrayBuffer,
      at >>> 0,
      length >>> 0,
    );
  }

  #attempt<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      throw new Trap(error, this.#exports.wasFull() !== 0, this.#panic);
    }
  }
}
