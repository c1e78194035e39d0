import { toCatalog } from "./catalog.ts";
import displays from "./displays.py" with { type: "text" };
import figures from "./figures.py" with { type: "text" };
import hints from "./hints.py" with { type: "text" };
import preload from "./preload.py" with { type: "text" };
import reseed from "./reseed.py" with { type: "text" };
import importHooks from "./import_hooks.py" with { type: "text" };
import hostCalls from "./host_calls.py" with { type: "text" };
import mcpRunPython from "./mcp_run_python.py" with { type: "text" };
import runner from "./runner.py" with { type: "text" };
import systemHints from "./system_hints.py" with { type: "text" };
import tqdmBars from "./tqdm_bars.py" with { type: "text" };
import values from "./values.py" with { type: "text" };

/** Files of `mcp_runner`, by name, that are the same for every Pyodide. */
export const RUNNER: Record<string, string> = {
  "__init__.py": "",
  "displays.py": displays,
  "figures.py": figures,
  "hints.py": hints,
  "import_hooks.py": importHooks,
  "preload.py": preload,
  "reseed.py": reseed,
  "host_calls.py": hostCalls,
  "mcp_run_python.py": mcpRunPython,
  "runner.py": runner,
  "system_hints.py": systemHints,
  "tqdm_bars.py": tqdmBars,
  "values.py": values,
};

/**
 * The Python files that a snapshot holds, by name in their package.
 *
 * @param lockFile Of the Pyodide distribution.
 */
export function runnerFor(lockFile: string): Record<string, string> {
  return { ...RUNNER, "catalog.py": toCatalog(lockFile) };
}
