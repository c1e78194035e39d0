/** One installed package. */
export interface InstalledPackage {
  /** Name on the index. */
  name: string;
  version: string;
  /** Names that `import` knows it by. */
  imports: string[];
  /** Wheel it came from, with the address and the hash that were checked. */
  file: string;
  url: string;
  sha256: string;
}
