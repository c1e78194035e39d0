import { MIB } from "../units.ts";
import type { CallLimits, ImageLimits } from "../protocol/run_messages.ts";
import type { ServerSettings } from "../protocol/server_settings.ts";

/** The bounds of a run's calls to its host. */
export function toCallLimits(settings: ServerSettings): CallLimits {
  return {
    count: settings.maxHostCalls,
    size: settings.maxHostCallSize,
    timeoutMs: settings.hostCallTimeoutSeconds * 1000,
  };
}

/**
 * Bytes of all pictures of a run: base64 makes them a third larger, and the
 * official client closes its connection at a message of 10 MiB.
 */
const MOST_IMAGE_BYTES = 5 * MIB;

/** The bounds of the pictures that a run shows. */
export function toImageLimits(settings: ServerSettings): ImageLimits {
  return {
    count: settings.maxImages,
    size: settings.maxImageMiB * MIB,
    total: MOST_IMAGE_BYTES,
  };
}
