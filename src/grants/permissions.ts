// The permissions of each process: the flags are built from this table, `doctor`
// prints it, and `test/permissions_test.ts` compares it with real processes.

/** Deno's kinds of permission. */
export const PERMISSION_KINDS = [
  ...["read", "write", "net", "run", "env", "sys", "ffi", "import"],
] as const;

/** A kind of permission. */
export type PermissionKind = typeof PERMISSION_KINDS[number];

/** Places and programs that a permission can name. */
export type Scope =
  /** The cache folder. */
  | "cache"
  /** One environment's folder in the cache. */
  | "environment"
  /** The engine's own files. */
  | "runtime"
  /** This program's own source, for starting a worker from it. */
  | "program"
  /** Folders and files of wheels, and the cache that is only read. */
  | "sources"
  /** JavaScript of an environment, if an install has linked it; given up before Python starts. */
  | "glue"
  /** Hosts that the user has granted, in the spelling of `--allow-net`; the list may be empty. */
  | "hosts"
  /** Folders of the user that Python sees (`--mount`); the list may be empty. */
  | "mounts"
  /** The mounted folders that Python may write to. */
  | "writableMounts"
  /** Hosts that stay closed whatever `hosts` says. */
  | "deniedHosts"
  /** Paths within mounts that stay unread, and those that nothing may change. */
  | "deniedReads"
  | "deniedWrites"
  /** The address that clients of HTTP reach; the list may be empty. */
  | "listen"
  /** The issuer of OAuth tokens, for its keys; the list may be empty. */
  | "issuer"
  /** The program of one downstream MCP server; the list may be empty. */
  | "serverProgram"
  /** The host of one downstream MCP server; the list may be empty. */
  | "serverHost"
  /** The folder of a keeper: that of `--session-store`, or of `--state-dir`. */
  | "kept"
  /** The file of a component. */
  | "component"
  /** The folder in which a component's process keeps what it has made of its file. */
  | "slot"
  /** Packages of a server behind `wrap`, which it reads as its own; the list may be empty. */
  | "ownPackages"
  /** The whole kind. */
  | "any";

/** Scopes that are empty unless the user grants something. */
export const GRANTED: readonly Scope[] = [
  ...["hosts", "mounts", "writableMounts"] as const,
  ...["listen", "issuer", "serverProgram", "serverHost"] as const,
  "ownPackages",
];

/** The scope that is cut out of another. */
export const CUTS: Partial<Record<Scope, "deniedReads" | "deniedWrites">> = {
  mounts: "deniedReads",
  writableMounts: "deniedWrites",
};

/** The processes of this program. */
export type ProcessName =
  | "installer"
  | "offlineInstaller"
  | "preloader"
  | "launcher"
  | "server"
  | "keeper"
  | "bridge"
  | "sandbox"
  | "worker"
  | "component"
  | "componentWorker"
  | "wrapped";

/** The permissions of a process; Deno refuses each kind that is not named. */
export type Permissions = Partial<Record<PermissionKind, readonly Scope[]>>;

/** The table. */
export const PERMISSIONS: Record<ProcessName, Permissions> = {
  /** It runs no package. */
  installer: {
    read: ["cache", "sources", "runtime", "program"],
    write: ["cache"],
    net: ["any"],
  },
  offlineInstaller: {
    read: ["cache", "sources", "runtime", "program"],
    write: ["cache"],
  },
  /** The installer writes the preloader's snapshot. */
  preloader: { read: ["environment", "runtime", "program"] },
  /** In phase 2, as the broker. */
  launcher: { run: ["any"] },
  /** Over stdio it has no permission at all. */
  server: { net: ["listen", "issuer"] },
  /** It keeps the values of one folder, and runs none. */
  keeper: { read: ["kept"], write: ["kept"] },
  /** The MCP client of one downstream server, which it starts or reaches. */
  bridge: { net: ["serverHost"], run: ["serverProgram"] },
  sandbox: {
    read: ["environment", "runtime", "program", "mounts"],
    write: ["writableMounts"],
    net: ["hosts"],
  },
  /** The interpreter itself, inside a sandbox process. */
  worker: { read: ["glue", "mounts"], write: ["writableMounts"] },
  /** One component, with the grants of its policy. */
  component: {
    read: ["component", "slot", "program", "mounts"],
    write: ["slot", "writableMounts"],
    net: ["hosts"],
  },
  /** The component itself, inside such a process. */
  componentWorker: {
    read: ["mounts"],
    write: ["writableMounts"],
    net: ["hosts"],
  },
  /** An MCP server of JavaScript behind `wrap`, with the grants of its own policy. */
  wrapped: {
    read: ["ownPackages", "mounts"],
    write: ["writableMounts"],
    net: ["hosts"],
  },
};

/** A path to cover for a process behind the second wall. */
export interface Cover {
  path: string;
  isFolder: boolean;
  /** Whether it is not to be seen; else it is not to be changed. */
  isHidden: boolean;
}

/** The absolute paths of each scope on this machine. */
export type ScopePaths =
  & Partial<Record<Exclude<Scope, "any">, readonly string[]>>
  & {
    /** Addresses of this machine: a granted name must not resolve to them. */
    ownAddresses?: readonly string[];
    /** The denied paths that are there, for the second wall. */
    covers?: readonly Cover[];
    /** The port of a server of HTTP, which no code may reach on this machine. */
    ownPort?: number;
  };
