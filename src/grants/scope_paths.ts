/** The absolute paths of each scope on this machine. */
export interface ScopePaths extends
  Record<
    "cache" | "environment" | "runtime" | "program" | "sources",
    readonly string[]
  >,
  Partial<
    Record<
      | ("glue" | "mounts" | "writableMounts" | "sessions" | "listen")
      | ("issuer" | "serverProgram" | "serverHost" | "state"),
      readonly string[]
    >
  > {
  /** Hosts that the user has granted, in the spelling of `--allow-net`. */
  hosts?: readonly string[];
  /** Addresses of this machine: a granted name must not resolve to them. */
  ownAddresses?: readonly string[];
  /** The port of a server of HTTP, which no code may reach on this machine. */
  ownPort?: number;
}
