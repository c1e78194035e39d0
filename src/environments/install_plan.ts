/** The packages that an install would have. */
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
  /** Hex; present for every file of a plan that `planEnvironment()` returns. */
  sha256?: string | undefined;
  /** In bytes. */
  size?: number | undefined;
  /** Id of its source, if the cache notes it. */
  origin?: string | undefined;
  /** Its source, in words for people. */
  source: string;
  /** Its kind: `wheel`, or a zip of the Pyodide distribution for `site`, `dynlib` or `stdlib`. */
  place: string;
  /** Whether it is in the cache. */
  cached: boolean;
}
