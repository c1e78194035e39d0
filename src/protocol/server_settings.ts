import type { InstalledPackage } from "../requirements/installed_package.ts";
import type { Mount } from "../grants/mounts.ts";
import type { EngineProfile } from "./engine_profile.ts";
import type { SettingsFor } from "../settings.ts";
import type { Shell } from "./run_setup.ts";

/** Pools that a server has beside its own, of packages that calls asked for. */
export const MOST_POOLS = 2;

/** Environments that the calls of a server may have made in `COUNTED_MS`: they stay on the disk. */
export const MOST_ENVIRONMENTS = 100;
export const COUNTED_MS: number = 24 * 60 * 60 * 1000;

/** Requirements that are remembered, so that they cost nothing when they are asked for again. */
export const MOST_KNOWN = 1000;

export interface PoolSizes {
  /** Sandboxes kept ready while calls come; without calls it is one. */
  ready: number;
  /** Runs at a time. */
  running: number;
  /** Calls that may wait; more are refused at once. */
  waiting: number;
}

/** The clients of a server process: one on stdio, those of HTTP, or programs. */
export type ServerTask = "stdio" | "http" | "programs";

/** How the server listens, and for whom. */
export interface HttpSettings extends SettingsFor<"http"> {
  /** Whether it serves the page. */
  web: boolean;
  /** The address of the host, which the server cannot look up. */
  address: string;
  /** 0 has the system pick one. */
  port: number;
  /** Whether 2025 clients get no sessions of MCP. */
  isStateless: boolean;
  /** Beside the names of loopback; IPv6 addresses in brackets. */
  allowedHosts: readonly string[];
  tokens: readonly NamedToken[];
  oauth?: OAuthSettings | undefined;
  /** PEM. */
  tls?: { cert: string; key: string } | undefined;
}

/** Secrets of a server of HTTP that were read again; absent if they are as before. */
export type Reloaded = Partial<Pick<HttpSettings, "tokens" | "tls">>;

/** Time that a server of HTTP may take before it saves sessions. */
export function waitsMs(
  { drainWaitSeconds, shutdownWaitSeconds }: Pick<
    HttpSettings,
    "drainWaitSeconds" | "shutdownWaitSeconds"
  >,
): number {
  return (drainWaitSeconds + shutdownWaitSeconds) * 1000;
}

/** A bearer token, by its hash: the server learns no token that is not sent to it. */
export interface NamedToken {
  name: string;
  /** SHA-256, in hex. */
  sha256: string;
}

/** The issuer of access tokens, as the launcher has found it. */
export interface OAuthSettings {
  issuer: string;
  jwksUri: string;
  audience: string;
  scopes: readonly string[];
}

/** The address of MCP, or why the server cannot listen there. */
export type Listening = { url: string } | { error: string };

/** All that the launcher tells the server at its start. */
export interface ServerSettings extends SettingsFor<"server"> {
  /** Folders of the user's that Python sees, without their host paths. */
  mounts: readonly Omit<Mount, "host">[];
  version: string;
  /** The engine of code that names none: it alone has packages and sessions. */
  engine: EngineProfile;
  /** Those that are served beside it. */
  otherEngines: readonly OtherEngine[];
  /** Python's version and packages; undefined until they are installed. */
  environment: ServedEnvironment | undefined;
  /** Names of the packages that options name, for the time of their install. */
  expected: string[];
  pool: PoolSizes;
  /** Whether there are sessions. */
  sessions: boolean;
  /** Whether calls without a handle have one, too. */
  stateful: boolean;
  /** What a handle whose state is lost gets, once that was told. */
  lostSessions: "fresh" | "refuse";
  /** Sessions in memory. */
  maxSessions: number;
  /** Memory that all sessions may take together. */
  maxSessionsMiB: number;
  /** Memory that the process of a session takes before its code takes any. */
  sessionMiB?: number;
  /** Whether there is a store of sessions; the server does not learn its folder. */
  savesSessions?: boolean;
  /** This server, for callers of others that share its store. */
  serverName?: string;
  /** Whether the user names components; the server does not learn their files. */
  hasComponents?: boolean;
  /** Whether runs are audited; the server does not learn the file. */
  audits?: boolean;
  /** Whether OpenTelemetry hears of runs. */
  telemetry?: boolean;
  /** Undefined if the client is on stdio. */
  http?: HttpSettings | undefined;
  /** The shell that its one run is for: the run's output has no bound. */
  shell?: Shell;
}

export interface OtherEngine extends EngineProfile {
  /** Version of its Python. */
  python: string;
}

/** An environment, for a process that may not read it. */
export interface Installed {
  /** Absolute. */
  folder: string;
  /** Version. */
  python: string;
  /** Names of the packages that were asked for. */
  requested: string[];
  packages: InstalledPackage[];
}

/** An environment for the server, which learns no path. */
export interface ServedEnvironment extends Omit<Installed, "folder"> {
  /** Its name in the cache; empty if its engine takes no packages. */
  id: string;
}

/** The ending of an install that a call asked for. */
export type InstallAnswer = { installed: ServedEnvironment } | {
  error: string;
  /** Python without packages, in which other code can run, if it is the server's own install. */
  bare?: ServedEnvironment;
};

/** The engines that calls can name, the server's own first. */
export function enginesOf(
  { engine, otherEngines = [] }: Pick<
    ServerSettings,
    "engine" | "otherEngines"
  >,
): readonly EngineProfile[] {
  return [engine, ...otherEngines];
}
