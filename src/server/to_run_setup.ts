import { MIB } from "../units.ts";
import { KEPT_OUTPUT } from "../protocol/bounds.ts";
import { toFileBounds } from "../protocol/run_files.ts";
import type { RunSetup } from "../protocol/run_setup.ts";
import type { ServerSettings } from "../protocol/server_settings.ts";

/** Base64 adds a third, and the official client closes at a message of 10 MiB. */
const MOST_IMAGE_BYTES = 5 * MIB;

/** Of four pages of the usual size, or of one of the largest. */
const MOST_PAGE_BYTES = 20 * MIB;

/** The user may type as long as the run may last, and as much. */
const SHELL_CALLS = { count: Number.MAX_SAFE_INTEGER, timeoutMs: 2 ** 31 - 1 };

/** The time that a run may wait for all its calls. */
export function toCallWaitMs(
  { callWaits, hostCallTimeoutSeconds }: Pick<
    ServerSettings,
    "callWaits" | "hostCallTimeoutSeconds"
  >,
): number {
  return callWaits * hostCallTimeoutSeconds * 1000;
}

export function toRunSetup(settings: ServerSettings): RunSetup {
  const { shell } = settings;
  return {
    ...(shell ? { shell } : {}),
    maxOutput: shell ? null : Math.max(KEPT_OUTPUT, settings.maxOutput ?? 0),
    hostCalls: {
      count: settings.maxHostCalls,
      size: settings.maxHostCallSize,
      timeoutMs: settings.hostCallTimeoutSeconds * 1000,
      ...(settings.codeMode || settings.hasComponents
        ? { waitMs: toCallWaitMs(settings) }
        : {}),
      ...(shell ? SHELL_CALLS : {}),
    },
    images: {
      count: settings.maxImages,
      size: settings.maxImageMiB * MIB,
      total: MOST_IMAGE_BYTES,
    },
    pages: {
      count: settings.maxImages,
      size: settings.maxHtmlMiB * MIB,
      total: MOST_PAGE_BYTES,
    },
    files: toFileBounds(settings),
    installable: shell ? [] : settings.allowInstall,
    variables: settings.variables,
    ...(settings.codeMode ? { codeMode: true } : {}),
  };
}
