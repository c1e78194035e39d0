import type { ServerEntry } from "../../../protocol/downstream.ts";

/**
 * Reads the entries of a client's file, in the order in which they count; it judges
 * each alone, and has no effect but to read files that the text names.
 *
 * @throws {SyntaxError | RangeError} If the file as a whole cannot be read, or is nested
 * too deep.
 */
export type Format = (text: string, place: FilePlace) => FoundServer[];

/** An entry of a file: one that can be used, or one that is skipped. */
export type FoundServer =
  | {
    entry: ServerEntry;
    /** Parts of the entry that do not count here, as sentences without a dot. */
    notes: string[];
  }
  | SkippedEntry;

export interface SkippedEntry extends Skip {
  name: string;
  source: string;
}

/** The reason for which an entry is not used; it holds no value of a secret. */
export interface Skip {
  /** Ends the sentence "… is skipped as". */
  reason: string;
  /** A sentence. */
  remedy?: string;
}

/** The file that a text comes from, and the machine that it speaks of. */
export interface FilePlace {
  /** Absolute. */
  path: string;
  /** The folder that relative paths of its entries start at. */
  folder: string;
  cwd: string;
  home?: string | undefined;
  os: string;
  env: Readonly<Record<string, string | undefined>>;
  /**
   * Reads a file that an entry names, such as that of its variables.
   *
   * @throws If it cannot be read.
   */
  readTextFile(path: string): string;
  /**
   * SHA-256 of a file that an entry names, in hex.
   *
   * @throws If it cannot be read.
   */
  hashFile(path: string): string;
}

/** An entry that cannot be used; its message is the reason. */
export class Unusable extends Error {
  /** Tells it from our own faults. */
  override name = "Unusable";

  constructor(reason: string, readonly remedy?: string) {
    super(reason);
  }
}
