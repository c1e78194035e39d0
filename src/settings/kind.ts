import type { Mount } from "../grants/mounts.ts";

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

export interface KindWithNone<V> extends Kind<V> {
  none: V;
}

export interface NumberKind extends Kind<number> {
  toml: "number";
  parse(text: string): number | undefined;
}

/**
 * The folder, files and variables that texts of an option refer to. Paths are
 * absolute; each method throws a `UserError` that names the option.
 */
export interface Place {
  toPath(text: string): string;
  /** Finds a folder that an install takes files from. */
  toFolder(text: string): string;
  toLockFile(text: string): LockFile;
  /** Reads a folder that Python sees. */
  toMount(text: string): Mount;
  /** Reads a requirement (PEP 508), or the URL or path of a wheel. */
  toRequirement(text: string): string;
  /** Reads a bound for versions (PEP 508). */
  toConstraint(text: string): string;
  /** The value of a variable of this program. */
  toVariable(name: string): string;
}

/** A lock file (PEP 751). */
export interface LockFile {
  path: string;
  text: string;
}
