/**
 * How far a save is, in memory that worker and host share: the host may give a save up
 * until the worker has begun it, and waits to its end then.
 *
 * @module
 */
const NONE = 0;
const WANTED = 1;
const BEGUN = 2;

/** The host's side: asks for a save. */
export function wantSave(state: Int32Array): void {
  Atomics.store(state, 0, WANTED);
}

/** The host's side: whether the save had not begun; then it does not. */
export function giveUpSave(state: Int32Array): boolean {
  return Atomics.compareExchange(state, 0, WANTED, NONE) === WANTED;
}

/** The worker's side: whether the host waits for the save, which has now begun. */
export function beginSave(state: Int32Array): boolean {
  return Atomics.compareExchange(state, 0, WANTED, BEGUN) !== NONE;
}

/** The worker's side: whether the host waits for a save. */
export function isSaveWanted(state: Int32Array): boolean {
  return Atomics.load(state, 0) !== NONE;
}

/** The worker's side: the save is over. */
export function endSave(state: Int32Array): void {
  Atomics.store(state, 0, NONE);
}
