import type { InstallEvent } from "./install_events.ts";

/** How far an install is, as MCP tells progress. */
export interface InstallStep {
  message: string;
  /** Higher than in the step before. */
  progress: number;
  /** Undefined until the packages are chosen. */
  total?: number;
}

/** All downloads count as a step; compiling, importing and the end are the others. */
const STEPS_BESIDE_PACKAGES = 4;
/** Least growth that is worth a message. */
const GROWTH = 0.01;

/**
 * Follows the events of an install, and tells how far it is: "Installing
 * pandas 3/14". Undefined for an event without news.
 */
export function followInstall(): (
  event: InstallEvent,
) => InstallStep | undefined {
  const downloads = new Map<string, { received: number; total: number }>();
  let steps = 0;
  let told = 0;
  let message = "";
  let total: number | undefined;

  return (event) => {
    switch (event.type) {
      case "warning":
        return undefined;
      case "step":
        steps++;
        message = event.text;
        break;
      case "package": {
        const { name, number, count } = event;
        if (number === 1) total = steps + count + STEPS_BESIDE_PACKAGES;
        steps++;
        message = `Installing ${name} ${number}/${count}`;
        break;
      }
      case "downloads":
        for (const { file, size = 0 } of event.files) {
          downloads.set(file, { received: 0, total: size });
        }
        return undefined;
      case "download":
        downloads.set(event.file, { total: 0, ...event });
        break;
      case "downloaded":
        downloads.set(event.file, { received: event.size, total: event.size });
        break;
    }
    const progress = steps + shareOf([...downloads.values()]);
    if (progress < told + GROWTH) return undefined;
    told = progress;
    return { message, progress, ...(total === undefined ? {} : { total }) };
  };
}

/** The share of all bytes that have come, 0 while no size is known. */
function shareOf(downloads: { received: number; total: number }[]): number {
  const sum = (sizes: number[]) => sizes.reduce((all, size) => all + size, 0);
  const total = sum(downloads.map(({ total }) => total));
  const received = sum(downloads.map(({ received }) => received));
  return total === 0 ? 0 : Math.min(1, received / total);
}
