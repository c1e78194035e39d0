/** What a name in a folder is. */
export type Kind = "file" | "folder" | "other";

export interface Stat {
  kind: Kind;
  /** With the bits of its kind. */
  mode: number;
  size: number;
  accessedMs: number;
  modifiedMs: number;
}

/** A name in a folder; of a link, the kind of its target. */
export interface Entry {
  name: string;
  kind: Kind;
  isLink: boolean;
}

/**
 * Folders and files below a root. A place is the names from the root to it; links in
 * it are followed, and its last name is followed where that is said.
 *
 * Every function throws a `FileFault` if the system would refuse the call.
 */
export interface Tree {
  /** Follows a link. */
  stat(place: Place): Stat;
  isLink(place: Place): boolean;
  /** Names that lead to a file or folder of this tree, in no order. */
  list(place: Place): Entry[];
  /** Follows a link. */
  read(place: Place): Uint8Array;
  /**
   * Makes a file, or writes over a file, or behind its end; follows a link. The bytes
   * may become the file's storage.
   */
  write(
    place: Place,
    bytes: Uint8Array<ArrayBuffer>,
    where: "over" | "behind",
  ): void;
  makeFolder(place: Place): void;
  removeFile(place: Place): void;
  removeFolder(place: Place): void;
  rename(from: Place, to: Place): void;
  /** The place without links, as far as there is something. */
  resolve(place: Place): Place;
}

export type Place = readonly string[];
