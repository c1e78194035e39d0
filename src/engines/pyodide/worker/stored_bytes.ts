/**
 * Bytes that stay in a file: a worker asks its host for a part, and waits until
 * that part is in a window that both see.
 *
 * @module
 */

/** The memory that worker and host share. */
export interface StoredBytes {
  window: Uint8Array;
  /** Whose turn it is, and the place in the file that the worker asks for. */
  turn: Int32Array;
}

export const TURN = { worker: 0, host: 1 } as const;

/** Copies bytes of a file, from a place on. */
export type Copy = (place: number, target: Uint8Array) => void;

export function openStored({ window, turn }: StoredBytes): Copy {
  let start = -window.length;
  return function copy(place, target) {
    if (target.length === 0) return;
    if (place < start || place >= start + window.length) {
      start = place;
      Atomics.store(turn, 1, place);
      passTurn(turn, TURN.host);
      Atomics.wait(turn, 0, TURN.host);
    }
    const part = window.subarray(place - start, place - start + target.length);
    target.set(part);
    copy(place + part.length, target.subarray(part.length));
  };
}

export function passTurn(turn: Int32Array, to: 0 | 1): void {
  Atomics.store(turn, 0, to);
  Atomics.notify(turn, 0);
}
