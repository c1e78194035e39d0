import type { SettingsFor } from "../settings.ts";
import type { PyodideOptions } from "./pyodide/host.ts";

/** All that a sandbox process is told by its argument. */
export type SandboxSettings = PyodideOptions & Partial<SettingsFor<"sandbox">>;
