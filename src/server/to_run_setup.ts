import { MIB } from "../units.ts";
import { KEPT_OUTPUT } from "../protocol/bounds.ts";
import { toFileBounds } from "../protocol/run_files.ts";
import type { RunSetup } from "../protocol/run_setup.ts";
import type { ServerSettings } from "../protocol/server_settings.ts";

/** Base64 adds a third, and the official client closes at a message of 10 MiB. */
const MOST_IMAGE_BYTES = 5 * MIB;

export function toRunSetup(settings: ServerSettings): RunSetup {
  return {
    maxOutput: settings.isShell
      ? null
      : Math.max(KEPT_OUTPUT, settings.maxOutput ?? 0),
    hostCalls: {
      count: settings.maxHostCalls,
      size: settings.maxHostCallSize,
      timeoutMs: settings.hostCallTimeoutSeconds * 1000,
    },
    images: {
      count: settings.maxImages,
      size: settings.maxImageMiB * MIB,
      total: MOST_IMAGE_BYTES,
    },
    files: toFileBounds(settings),
    installable: settings.isShell ? [] : settings.allowInstall,
    variables: settings.variables,
  };
}
