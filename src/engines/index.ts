import type { RunLimits } from "../protocol/run_limits.ts";
import type { SettingsFor } from "../settings.ts";
import type { Engine, ServeNetwork } from "./engine.ts";
import { openPyodide, type PyodideOptions } from "./pyodide/host.ts";

/** The options of each engine, by its name. */
interface OptionsOf {
  pyodide: PyodideOptions;
}

/** The name of an engine. */
export type EngineName = keyof OptionsOf;

/** The options of one engine, with its name. */
export type EngineOptions = {
  [Name in EngineName]: { engine: Name } & OptionsOf[Name];
}[EngineName];

/** Every engine: a new one adds its options above, and a line here. */
const ENGINES: {
  [Name in EngineName]: (
    options: OptionsOf[Name],
    serveNetwork?: ServeNetwork,
  ) => Promise<Engine>;
} = { pyodide: openPyodide };

/** The argument of a sandbox process: settings whose rows go to it. */
export type SandboxSettings =
  & EngineOptions
  & RunLimits
  & Partial<SettingsFor<"sandbox">>;

/** Opens the engine that the options name. */
export function openEngine(
  options: EngineOptions,
  serveNetwork?: ServeNetwork,
): Promise<Engine> {
  return ENGINES[options.engine](options, serveNetwork);
}
