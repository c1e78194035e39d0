import type { z } from "../../deps/zod.ts";
import type { Event } from "./parse_installer_messages.ts";

export type InstallEvent = z.infer<typeof Event>;

/** Does an install, and shows its events until it ends. */
export type ShowInstall = <T>(
  work: (report: (event: InstallEvent) => void) => Promise<T>,
) => Promise<T>;
