/** Where the scopes of a permission are on this machine; absolute paths. */
export interface ScopePaths extends
  Record<
    "cache" | "environment" | "pyodide" | "program" | "sources",
    readonly string[]
  >,
  Partial<Record<"mounts" | "writableMounts", readonly string[]>> {
  /** Hosts that the user granted, as `--allow-net` spells them. */
  hosts?: readonly string[];
  /** Addresses of this machine itself, which no name may lead to. */
  ownAddresses?: readonly string[];
}
