/** What would be installed. */
export interface Plan {
  /** Version of Python. */
  python: string;
  /** Version of Pyodide. */
  pyodide: string;
  requirements: string[];
  packages: PlannedPackage[];
}

/** One package that would be installed. */
export interface PlannedPackage {
  /** Name on the index, in its canonical form. */
  name: string;
  version: string;
  file: string;
  url: string;
  /** Hex; of every file of a plan, after `planEnvironment()`. */
  sha256?: string | undefined;
  /** In bytes. */
  size?: number | undefined;
  /** Id of the source that has it, if the cache is to know. */
  origin?: string | undefined;
  /** Where it comes from, for people. */
  source: string;
  /** What it is: a wheel, or a zip of the Pyodide distribution for `site`, `dynlib` or `stdlib`. */
  place: string;
  /** Whether it is in the cache. */
  cached: boolean;
}
