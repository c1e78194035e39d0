import type { HttpSettings } from "../protocol/server_settings.ts";
import type { Settings } from "../settings.ts";
import { MIB } from "../units.ts";

/**
 * What a server of HTTP is told; reads the files of tokens and of TLS.
 *
 * @throws {UserError} If a file cannot be read, or clients of other machines
 * would need no token.
 */
export function toHttpSettings(
  settings: Settings,
  isStateless: boolean,
): HttpSettings {
  const { host, port, httpPath, allowedHosts, allowedOrigins, web } = settings;
  return {
    ...{ host, port, path: httpPath, isStateless, web },
    ...{ allowedHosts, allowedOrigins },
    tokens: [],
    maxBodyBytes: settings.maxBodyMiB * MIB,
    headerTimeoutMs: settings.headerTimeoutSeconds * 1000,
    bodyTimeoutMs: settings.bodyTimeoutSeconds * 1000,
    maxConnections: settings.maxHttpConnections,
    maxClientRequests: settings.maxClientRequests,
    maxClientRuns: settings.maxClientRuns,
    maxClientRate: settings.maxClientRate,
    maxMcpSessions: settings.maxMcpSessions,
    shutdownWaitMs: settings.shutdownWaitSeconds * 1000,
  };
}
