const SUCCESS = 0;
const BAD_DESCRIPTOR = 8;
const NANOSECONDS = 1e6;
const WORD = 2 ** 32;
/**
 * Later than the limit of any run: by it the interpreter stops code that computes. Each
 * look is as much later than the look before, as a run may have begun with the first.
 */
const LATE = 2 ** 62;
const LATER = 2 ** 53;
const LATEST = 2 ** 64 - 2 ** 11;
const REALTIME = 0;
const MOST_RANDOM = 65536;

/**
 * The functions of WASI (preview 1) that the interpreter imports: clocks, random
 * numbers, and what it says as it panics. It has no files, arguments or variables.
 *
 * The interpreter looks at the clock every few instructions, as each run has a limit of
 * time. So a clock that is late is the way to interrupt a run that computes.
 */
export function openWasi(
  memory: WebAssembly.Memory,
  { isInterrupted, onPanic }: {
    isInterrupted(): boolean;
    onPanic(text: string): void;
  },
): Record<string, (...args: never[]) => number | void> {
  let late = LATE;
  let seen = new DataView(memory.buffer);
  const view = () =>
    seen.buffer === memory.buffer ? seen : seen = new DataView(memory.buffer);
  const bytes = (at: number, length: number) =>
    new Uint8Array(memory.buffer, at, length);
  return {
    // It is called more often than all others: numbers take a third of the time of BigInts.
    clock_time_get(clock: number, _precision: bigint, at: number) {
      let now = Math.round(performance.now() * NANOSECONDS);
      if (clock === REALTIME) now = Date.now() * NANOSECONDS;
      else if (isInterrupted()) now = late = Math.min(late + LATER, LATEST);
      const high = Math.floor(now / WORD);
      view().setUint32(at, now - high * WORD, true);
      view().setUint32(at + 4, high, true);
      return SUCCESS;
    },
    random_get(at: number, length: number) {
      for (let done = 0; done < length; done += MOST_RANDOM) {
        const part = Math.min(MOST_RANDOM, length - done);
        crypto.getRandomValues(bytes(at + done, part));
      }
      return SUCCESS;
    },
    fd_write(file: number, vectors: number, count: number, at: number) {
      if (file !== 1 && file !== 2) return BAD_DESCRIPTOR;
      let written = 0;
      for (let index = 0; index < count; index++) {
        const start = view().getUint32(vectors + 8 * index, true);
        const length = view().getUint32(vectors + 8 * index + 4, true);
        onPanic(new TextDecoder().decode(bytes(start, length).slice()));
        written += length;
      }
      view().setUint32(at, written, true);
      return SUCCESS;
    },
    environ_sizes_get(count: number, size: number) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return SUCCESS;
    },
    environ_get: () => SUCCESS,
    proc_exit(code: number) {
      throw new WebAssembly.RuntimeError(`exit ${code}`);
    },
  };
}
