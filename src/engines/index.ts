import type { RunLimits } from "../protocol/run_limits.ts";
import type { SettingsFor } from "../settings.ts";
import type { Engine, ServeNetwork } from "./engine.ts";
import { openPyodide, type PyodideOptions } from "./pyodide/host.ts";

/** The options of an engine, with its name; a new engine adds a member. */
export type EngineOptions = { engine: "pyodide" } & PyodideOptions;

/** The argument of a sandbox process: settings whose rows go to it. */
export type SandboxSettings =
  & EngineOptions
  & RunLimits
  & Partial<SettingsFor<"sandbox">>
  /** Whether runs are audited. */
  & { audits?: boolean };

/** Opens the engine that the options name. */
export function openEngine(
  options: EngineOptions,
  serveNetwork?: ServeNetwork,
): Promise<Engine> {
  switch (options.engine) {
    case "pyodide":
      return openPyodide(options, serveNetwork);
  }
}
