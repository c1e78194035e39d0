export interface InstalledPackage {
  /** Name on the index. */
  name: string;
  version: string;
  /** Names that `import` takes. */
  imports: string[];
  /** Its wheel, with the address and the verified hash. */
  file: string;
  url: string;
  sha256: string;
}
