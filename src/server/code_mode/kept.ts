import type {
  Facts,
  FromState,
  Space,
  ToState,
} from "../../protocol/state_messages.ts";

/** What outlives sessions, beyond the broker. */
export interface Kept {
  list(space: Space, owner: string): Promise<Facts[]>;
  /** Undefined if there is none. */
  get(
    space: Space,
    owner: string,
    key: string,
  ): Promise<{ facts: Facts; text: string } | undefined>;
  /**
   * Writes a value; undefined if it is not of the revision that was named.
   *
   * @throws {RangeError} If it is too large, or there are too many; with the remedy.
   */
  put(
    space: Space,
    owner: string,
    key: string,
    value: { text: string; metadata?: string; ifRevision?: string },
  ): Promise<Facts | undefined>;
  /** Whether it was there. */
  delete(space: Space, owner: string, key: string): Promise<boolean>;
}

/** Asks the process that keeps it; the broker starts that if need be. */
export type AskState = (request: ToState) => Promise<FromState>;
