import type { InstallEvent } from "../install/events.ts";
import { log } from "../log.ts";
import { toSize } from "./plan.ts";

/** Logs how an install goes, a line for each step. */
export function report(event: InstallEvent): void {
  switch (event.type) {
    case "step":
      return log(event.text);
    case "warning":
      return log(`warning: ${event.text}`);
    case "downloaded":
      return log(`Downloaded ${event.file} (${toSize(event.size)})`);
    case "download":
      return;
  }
}
