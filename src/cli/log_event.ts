import type { InstallEvent } from "../install/events.ts";
import { log } from "../log.ts";

/** Writes what goes on in an install, a line each. */
export function logEvent(event: InstallEvent): void {
  if (event.type === "step") log(event.text);
  if (event.type === "warning") log(`warning: ${event.text}`);
  if (event.type === "downloaded") {
    log(`Downloaded ${event.file} (${Math.ceil(event.size / 1024)} KiB)`);
  }
}
