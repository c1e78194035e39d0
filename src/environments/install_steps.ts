import type { ProgressStep } from "../protocol/run_messages.ts";
import type { InstallEvent } from "./phase_1/messages.ts";

/** All downloads count as a step; compiling, importing and the end are the others. */
const STEPS_BESIDE_PACKAGES = 4;
/** Least growth that is worth a message. */
const GROWTH = 0.01;

/**
 * Follows the events of an install, and tells how far it is: "Installing
 * pandas 3/14", with a number that grows and, once the packages are chosen, a
 * total. Undefined for an event without news.
 */
export function followInstall(): (
  event: InstallEvent,
) => ProgressStep | undefined {
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
        const { number, count } = event;
        if (number === 1) total = steps + count + STEPS_BESIDE_PACKAGES;
        steps++;
        message = toTurn(event);
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

/** Says which package has its turn. */
export function toTurn(
  { name, number, count }: Extract<InstallEvent, { type: "package" }>,
): string {
  return `Installing ${name} ${number}/${count}`;
}

/** The share of all bytes that have come, 0 while no size is known. */
function shareOf(downloads: { received: number; total: number }[]): number {
  const sum = (sizes: number[]) => sizes.reduce((all, size) => all + size, 0);
  const total = sum(downloads.map(({ total }) => total));
  const received = sum(downloads.map(({ received }) => received));
  return total === 0 ? 0 : Math.min(1, received / total);
}
