import type { Facts, Space } from "../../protocol/state_messages.ts";

/** Values of many bytes, that come and go in pieces. */
export interface KeptFiles {
  /** Undefined if there is none. */
  info(space: Space, owner: string, key: string): Promise<Facts | undefined>;
  /**
   * Reads a piece; undefined if the value is gone, or not of the revision that is
   * named. The first piece is given only if the whole value is as it was written.
   */
  read(
    space: Space,
    owner: string,
    key: string,
    piece: { offset: number; length: number; revision?: string },
  ): Promise<{ facts: Facts; bytes: Uint8Array<ArrayBuffer> } | undefined>;
  /**
   * Opens a draft of so many bytes.
   *
   * @throws {RangeError} If it is too large, or there are too many; with the remedy.
   */
  begin(
    space: Space,
    owner: string,
    key: string,
    value: { size: number; metadata?: string },
  ): Promise<KeptDraft>;
}

/** A value that is not in its place yet. */
export interface KeptDraft {
  append(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Puts it in the place of an older value, whole. */
  commit(): Promise<Facts>;
  abort(): Promise<void>;
}
