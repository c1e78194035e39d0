import { MIB } from "../units.ts";
import type { CallLimits, ImageLimits } from "../protocol/run_messages.ts";
import type { ServerSettings } from "../protocol/server_settings.ts";

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
const MOST_IMAGE_BYTES = 5 * MIB;

/** Bounds of what a run may show. */
export function toImageLimits(settings: ServerSettings): ImageLimits {
  return {
    count: settings.maxImages,
    size: settings.maxImageMiB * MIB,
    total: MOST_IMAGE_BYTES,
  };
}
