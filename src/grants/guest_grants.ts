// The grants of a guest: Python, a component, or a server behind `wrap`, however the
// user has written them.

/** The ways to use a path. */
export type Access = "read" | "write";

/** A file or a folder of this machine that a guest sees. */
export interface PathGrant {
  /** Its path on this machine: absolute, without symbolic links. */
  host: string;
  /** Its path for the guest: absolute. */
  guest: string;
  access: readonly Access[];
  /** Whether it is a file; else it is a folder, with all below it. */
  isFile?: true;
}

/** A path that stays closed though a granted folder holds it. */
export interface PathDenial extends Pick<PathGrant, "host" | "access"> {
  /** Undefined if it is not there. */
  kind?: "file" | "folder";
}

/** Limits of one guest; the limits of the settings count where one is undefined. */
export interface GuestLimits {
  timeoutMs?: number;
  memoryMiB?: number;
  /** Characters of output, and of a result. */
  maxOutput?: number;
  cpuSeconds?: number;
}

/** All that a guest may use beside its own memory and time. */
export interface GuestGrants {
  /** Hosts, in the spelling of `maybeHost()`. */
  hosts: readonly string[];
  /** Hosts that stay closed though `hosts` opens them. */
  deniedHosts: readonly string[];
  paths: readonly PathGrant[];
  deniedPaths: readonly PathDenial[];
  /** Variables of its environment, with their values. */
  variables: Readonly<Record<string, string>>;
  limits: GuestLimits;
  /**
   * Whether an instance of a component lives on for the next call of its caller;
   * undefined if the component's world decides.
   */
  instance?: "fresh" | "kept";
}

export const NOTHING_GRANTED: GuestGrants = {
  hosts: [],
  deniedHosts: [],
  paths: [],
  deniedPaths: [],
  variables: {},
  limits: {},
};

/** Something that a guest tried to use, and was refused. */
export type Denied =
  | { kind: Access; path: string }
  | { kind: "net"; host: string }
  | { kind: "env"; name: string };

/** The key of what was denied in a call, in `_meta` of the call's result. */
export const DENIED = "mcp-run-python/denied";

/** Denials of a call that are told. */
const MOST_DENIED = 20;
/** Characters of a path, a host or a name. */
const LONGEST = 1000;

/** Reads what a component's process says that was denied; leaves out all else. */
export function parseDenied(data: unknown): Denied[] {
  if (!Array.isArray(data)) return [];
  return data.slice(0, MOST_DENIED).flatMap((one): Denied[] => {
    const { kind, path, host, name } = { ...Object(one) };
    const isText = (text: unknown): text is string =>
      typeof text === "string" && text !== "" && text.length <= LONGEST;
    if (kind === "net" && isText(host)) return [{ kind, host }];
    if (kind === "env" && isText(name)) return [{ kind, name }];
    const isFile = kind === "read" || kind === "write";
    return isFile && isText(path) ? [{ kind, path }] : [];
  });
}
