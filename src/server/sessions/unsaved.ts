import { head } from "../../results/cut.ts";

/** Characters of all reasons: code of the session has a say in them. */
const LONGEST = 600;

/** The remedies of reasons that a session gives. */
const REMEDIES: readonly [reason: RegExp, remedy: string][] = [
  [/^(asyncio tasks|timers)/, "Await or cancel them."],
  [/^threads/, "Join the threads."],
  [/computes|did not rest/, "Await or cancel the task that computes."],
  [/^Python holds objects/, "Delete the names of these objects with del."],
  [/^callbacks of ctypes/, "Delete the callbacks and their holders with del."],
  [/^native libraries/, "Keep what must last in files of /workspace, too."],
  [/^the standard stream|descriptor/, "Close the descriptor."],
  [/^files outside/, "Write to /workspace, /tmp or /home instead."],
  [
    /^a call had packages/,
    "Only packages of --deps can be in a saved session.",
  ],
  [/^the code has \d+ copies/, "Delete most of the copies with del."],
  [/^the store/, "The server's log has the reason."],
];

/**
 * What a client is to hear of saves that were in vain: the same reasons once, unless a
 * save was done meanwhile.
 */
export class UnsavedNews {
  #untold: string[] | undefined;
  #told: string | undefined;

  /** Notes why the session could not be saved. */
  note(reasons: readonly string[]): void {
    const isTold = toKinds(reasons) === this.#told;
    this.#untold = isTold ? undefined : [...reasons];
  }

  /** Notes that it is saved. */
  clear(): void {
    this.#untold = undefined;
    this.#told = undefined;
  }

  /**
   * The news, which is told then; undefined if there is none.
   *
   * @param hasOlder Whether the store has an older state of the session.
   */
  take(hasOlder: boolean): string | undefined {
    const reasons = this.#untold;
    if (!reasons) return undefined;
    this.#untold = undefined;
    this.#told = toKinds(reasons);
    const remedies = REMEDIES
      .filter(([pattern]) => reasons.some((reason) => pattern.test(reason)))
      .map(([, remedy]) => `${remedy} `);
    const lost = hasOlder
      ? "its changes since its last save are"
      : "its state is";
    return `This session could not be saved: ${
      head(reasons.join("; "), LONGEST)
    }. ${remedies.join("")}Otherwise ${lost} gone when the server ends.`;
  }
}

/** Reasons without what differs from one save to the next. */
function toKinds(reasons: readonly string[]): string {
  return reasons.map((reason) => reason.replace(/[:(].*/s, "")).join("; ")
    .replaceAll(/\d+/g, "");
}
