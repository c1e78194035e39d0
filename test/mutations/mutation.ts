/** A wall made weaker, and the tests that must notice. */
export interface Mutation {
  /** What is weaker, in a few words; the names of all mutations differ. */
  name: string;
  /** The file, from the project's root. */
  file: string;
  /** Text of the file, which is in it once. */
  text: string;
  /** What stands there in its place. */
  replacement: string;
  /** Test files, from the project's root. */
  tests: string[];
  /** Part of the names of the tests to run; all of these files without it. */
  filter?: string;
  /** Why no test can notice, where that is so. */
  survives?: string;
}
