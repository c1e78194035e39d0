import type { Mount } from "../grants/mounts.ts";
import type { Settings } from "../settings.ts";
import type { CallLimits, ImageLimits } from "../protocol/messages.ts";
import type { PoolSizes } from "../pool/pool.ts";
import type { Manifest } from "../install/environment.ts";

/** Pools that a server has beside its own, of packages that calls asked for. */
export const MOST_POOLS = 2;

/** What the server is told at its start, by the launcher. */
export interface ServerSettings extends
  Pick<
    Settings,
    | "returnMode"
    | "structured"
    | "timeoutSeconds"
    | "maxTimeoutSeconds"
    | "startTimeoutSeconds"
    | "maxOutput"
    | "maxCode"
    | "allowInstall"
    | "allowNet"
    | "variables"
    | "maxHostCalls"
    | "maxHostCallSize"
    | "hostCallTimeoutSeconds"
    | "maxImages"
    | "maxImageMiB"
    | "maxFilesMiB"
    | "maxFiles"
    | "maxStoredFilesMiB"
    | "fileTools"
  > {
  /** Folders of the user's that Python sees; where they are is for nobody here. */
  mounts: readonly Omit<Mount, "host">[];
  /** Version of this program. */
  version: string;
  /** What Python has to offer. */
  environment: Pick<Manifest, "python" | "packages">;
  pool: PoolSizes;
  /** Instead of serving MCP: one run, for the shell. */
  run?: { code: string; maxOutput: number | null };
}

/** Bounds of what a run may call on its host. */
export function toCallLimits(settings: ServerSettings): CallLimits {
  return {
    count: settings.maxHostCalls,
    size: settings.maxHostCallSize,
    timeoutMs: settings.hostCallTimeoutSeconds * 1000,
  };
}

/**
 * Bytes that all pictures of a run may have together: in base64 they are a third
 * more, and the official client closes its connection at a message of 10 MiB.
 */
const MOST_IMAGE_BYTES = 5 * 1024 * 1024;

/** Bounds of what a run may show. */
export function toImageLimits(settings: ServerSettings): ImageLimits {
  return {
    count: settings.maxImages,
    size: settings.maxImageMiB * 1024 * 1024,
    total: MOST_IMAGE_BYTES,
  };
}
