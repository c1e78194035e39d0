import type { PyCallable, PyodideInterface } from "../../../../deps/pyodide.ts";
import { reach } from "./reach.ts";
import type { Ending } from "../../../protocol/run_messages.ts";

/** By this value of the shared byte Python raises KeyboardInterrupt. */
const WANTED = 2;

/** The name of its class. */
const INTERRUPT = "KeyboardInterrupt";

/** Longer than what asyncio itself does in a callback. */
const CALLBACK_MS = 20;

/**
 * Interrupts that Python is not to see yet: while it hands an awaitable to JavaScript,
 * an interrupt would end the interpreter; while asyncio wakes what waits, it would be
 * lost, and what waits with it.
 */
export class HeldInterrupts {
  #until = 0;

  get isHeld(): boolean {
    return performance.now() < this.#until;
  }

  hold = (isHeld: boolean): void => {
    this.#until = isHeld ? Infinity : 0;
  };

  /** For the beginning of a callback, which may go on to code that computes. */
  holdBriefly(): void {
    this.#until = performance.now() + CALLBACK_MS;
  }
}

/**
 * The shared byte as Python sees it. Python reads the byte and then clears it, a
 * million times in a second: it would clear an interrupt that came between the two,
 * which was one in seventy. Here it clears what it has read.
 */
export function toSignalBuffer(
  byte: Uint8Array,
  held: Pick<HeldInterrupts, "isHeld">,
): Uint8Array {
  let read = 0;
  const buffer = {
    get 0() {
      return read = byte[0] && !held.isHeld ? byte[0] : 0;
    },
    set 0(_: number) {
      if (read !== 0) Atomics.compareExchange(byte, 0, read, 0);
    },
  };
  return buffer as unknown as Uint8Array;
}

/**
 * Takes interrupts to Python's code when it waits. Python notices the shared byte
 * wherever it executes next: in a callback of its event loop, that would end the
 * interpreter, and the code would not hear of it.
 */
export function connectInterrupts(
  python: PyodideInterface,
  byte: Uint8Array,
  { held, interrupt, run, wanted }: {
    held: HeldInterrupts;
    interrupt: PyCallable;
    /** Number of the run that is under way, or 0. */
    run: () => number;
    /** Number of the run that was last to be interrupted, or 0. */
    wanted: () => number;
  },
) {
  let early = 0;
  const clear = () => {
    // Python that waits has handed itself over.
    held.hold(false);
    return Atomics.exchange(byte, 0, 0) === WANTED;
  };
  /** Called before the event loop executes Python, whose code then waits. */
  const notice = () => {
    if (clear()) interruptEarly();
  };
  const interruptEarly = () => {
    // A task that computes between runs keeps the next run from its beginning.
    early = run() || wanted();
    if (run() !== 0) interrupt();
  };
  const api = Reflect.get(python, "_api");
  const webloop = python.pyimport("pyodide.webloop");
  const schedule = (callback: () => unknown, delayMs: number) => {
    const { age } = reach;
    return api.scheduleCallback(async () => {
      // A rewind has made the callback another's.
      if (age !== reach.age) return;
      notice();
      held.holdBriefly();
      try {
        await callback();
      } catch (error) {
        if (Reflect.get(Object(error), "type") !== INTERRUPT) throw error;
        interruptEarly();
      }
    }, delayMs);
  };
  return {
    /** Has Python's event loop wait by these functions. */
    connect(): void {
      webloop.scheduleCallback = schedule;
    },
    notice,
    forget(): void {
      early = 0;
      clear();
    },
    /** The ending of a run that was interrupted before it began. */
    maybeStopped(id: number): Ending | undefined {
      return wanted() === id
        ? { status: "run-error", error: INTERRUPT, exitCode: 130 }
        : undefined;
    },
    /** Takes the message that follows each interrupt; it comes when the code waits. */
    take(mayHaveNoticed: boolean): void {
      const isWanted = clear();
      const wasEarly = early === run();
      early = 0;
      if (!wasEarly && (isWanted || !mayHaveNoticed)) interrupt();
    },
  };
}
