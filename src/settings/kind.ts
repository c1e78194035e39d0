import type { Mount } from "../grants/mounts.ts";

/** A kind of value: its texts, and how they are read. */
export interface Kind<V> {
  /** Ends the sentence "… as it must be". */
  wants: string;
  choices?: readonly string[];
  /** The type in a file of options, beside text. */
  toml?: "number" | "boolean" | "table";
  /** The value of an option that is not given; undefined if it then has none. */
  none?: V;
  /**
   * Reads a value; undefined if the text is not of this kind.
   *
   * @throws {UserError} If the text names a thing that this machine lacks.
   */
  parse(text: string, place: Place): V | undefined;
  /** Joins values of an option that may be given several times. */
  join?(values: V[]): V;
  /** The text to write in place of a wrong one; undefined if unknown. */
  instead?(text: string): string | undefined;
  /** The part of a secret text that may be shown. */
  shown?(text: string): string;
}

/** A kind whose values may hold a user name and a password. */
export interface CredentialKind<V> extends Kind<V> {
  mayHoldCredentials: true;
}

/** A kind whose values are secret: `shown` hides them. */
export interface SecretKind<V> extends Kind<V> {
  none: V;
  isSecret: true;
  shown(text: string): string;
}

/** A kind with a value of its own for an option that is not given. */
export interface KindWithNone<V> extends Kind<V> {
  none: V;
}

/** A kind of numbers. */
export interface NumberKind extends Kind<number> {
  toml: "number";
  parse(text: string): number | undefined;
}

/**
 * The folder, files and variables that texts of an option refer to.
 *
 * Each method throws a `UserError` that names the option.
 */
export interface Place {
  /** Makes a path absolute. */
  toPath(text: string): string;
  /** Finds a folder that an install takes files from; absolute. */
  toFolder(text: string): string;
  /** Reads a lock file; its path is absolute. */
  toLockFile(text: string): LockFile;
  /** Reads folders that Python sees. */
  toMounts(texts: string[]): Mount[];
  /** Reads a requirement (PEP 508), or the URL or path of a wheel. */
  toRequirement(text: string): string;
  /** Reads a bound for versions (PEP 508). */
  toConstraint(text: string): string;
  /** Gives a variable of this program. */
  toVariable(name: string): string;
}

/** A lock file (PEP 751). */
export interface LockFile {
  path: string;
  text: string;
}
