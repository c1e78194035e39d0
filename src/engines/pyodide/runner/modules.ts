import {
  CANNOT_RUN,
  CANNOT_RUN_MODULES,
  CANNOT_RUN_PLACES,
} from "../../shared/cannot_run.ts";
import betweenRuns from "./between_runs.py" with { type: "text" };
import chartShows from "./chart_shows.py" with { type: "text" };
import charts from "./charts.py" with { type: "text" };
import codeMode from "./code_mode.py" with { type: "text" };
import components from "./components.py" with { type: "text" };
import componentValues from "./component_values.py" with { type: "text" };
import mcpErrors from "./mcp_errors.py" with { type: "text" };
import mcpMedia from "./mcp_media.py" with { type: "text" };
import mcpModules from "./mcp_modules.py" with { type: "text" };
import mcpNames from "./mcp_names.py" with { type: "text" };
import mcpProxies from "./mcp_proxies.py" with { type: "text" };
import mcpResults from "./mcp_results.py" with { type: "text" };
import mcpSignatures from "./mcp_signatures.py" with { type: "text" };
import mcpTools from "./mcp_tools.py" with { type: "text" };
import displayLimits from "./display_limits.py" with { type: "text" };
import displays from "./displays.py" with { type: "text" };
import fetch from "./fetch.py" with { type: "text" };
import figures from "./figures.py" with { type: "text" };
import fonts from "./fonts.py" with { type: "text" };
import hints from "./hints.py" with { type: "text" };
import preload from "./preload.py" with { type: "text" };
import reserve from "./reserve.py" with { type: "text" };
import reseed from "./reseed.py" with { type: "text" };
import importHooks from "./import_hooks.py" with { type: "text" };
import httpClient from "./http_client.py" with { type: "text" };
import httpxPatch from "./httpx_patch.py" with { type: "text" };
import hostCalls from "./host_calls.py" with { type: "text" };
import installs from "./installs.py" with { type: "text" };
import integers from "./integers.py" with { type: "text" };
import look from "./look.py" with { type: "text" };
import mcpKept from "./mcp_kept.py" with { type: "text" };
import mcpSaved from "./mcp_saved.py" with { type: "text" };
import mcpRunPython from "./mcp_run_python.py" with { type: "text" };
import missingFiles from "./missing_files.py" with { type: "text" };
import nearColumns from "./near_columns.py" with { type: "text" };
import nearZones from "./near_zones.py" with { type: "text" };
import nearest from "./nearest.py" with { type: "text" };
import network from "./network.py" with { type: "text" };
import notebook from "./notebook.py" with { type: "text" };
import pages from "./pages.py" with { type: "text" };
import pyodideHttp from "./pyodide_http.py" with { type: "text" };
import quietCalls from "./quiet_calls.py" with { type: "text" };
import rest from "./rest.py" with { type: "text" };
import runner from "./runner.py" with { type: "text" };
import shell from "./shell.py" with { type: "text" };
import sources from "./sources.py" with { type: "text" };
import summaries from "./summaries.py" with { type: "text" };
import tables from "./tables.py" with { type: "text" };
import threadPools from "./thread_pools.py" with { type: "text" };
import tqdmBars from "./tqdm_bars.py" with { type: "text" };
import tracebacks from "./tracebacks.py" with { type: "text" };
import unawaited from "./unawaited.py" with { type: "text" };
import urllib3Patch from "./urllib3_patch.py" with { type: "text" };
import values from "./values.py" with { type: "text" };
import waiting from "./waiting.py" with { type: "text" };

/** Files of `mcp_runner`, by name, that are the same for every Pyodide. */
export const RUNNER: Record<string, string> = {
  "__init__.py": "",
  "between_runs.py": betweenRuns,
  "cannot_run.py": toModule({
    SAYS: Object.fromEntries(
      Object.entries(CANNOT_RUN).map(([key, { says }]) => [key, says]),
    ),
    MODULES: Object.fromEntries(CANNOT_RUN_MODULES),
    PLACES: CANNOT_RUN_PLACES,
  }),
  "chart_shows.py": chartShows,
  "charts.py": charts,
  "code_mode.py": codeMode,
  "components.py": components,
  "component_values.py": componentValues,
  "mcp_errors.py": mcpErrors,
  "mcp_media.py": mcpMedia,
  "mcp_modules.py": mcpModules,
  "mcp_names.py": mcpNames,
  "mcp_proxies.py": mcpProxies,
  "mcp_results.py": mcpResults,
  "mcp_signatures.py": mcpSignatures,
  "mcp_tools.py": mcpTools,
  "display_limits.py": displayLimits,
  "displays.py": displays,
  "fetch.py": fetch,
  "figures.py": figures,
  "fonts.py": fonts,
  "hints.py": hints,
  "import_hooks.py": importHooks,
  "preload.py": preload,
  "reseed.py": reseed,
  "reserve.py": reserve,
  "host_calls.py": hostCalls,
  "http_client.py": httpClient,
  "httpx_patch.py": httpxPatch,
  "installs.py": installs,
  "integers.py": integers,
  "look.py": look,
  "mcp_kept.py": mcpKept,
  "mcp_run_python.py": mcpRunPython,
  "mcp_saved.py": mcpSaved,
  "missing_files.py": missingFiles,
  "near_columns.py": nearColumns,
  "near_zones.py": nearZones,
  "nearest.py": nearest,
  "network.py": network,
  "notebook.py": notebook,
  "pages.py": pages,
  "pyodide_http.py": pyodideHttp,
  "quiet_calls.py": quietCalls,
  "rest.py": rest,
  "runner.py": runner,
  "shell.py": shell,
  "sources.py": sources,
  "summaries.py": summaries,
  "tables.py": tables,
  "thread_pools.py": threadPools,
  "tqdm_bars.py": tqdmBars,
  "tracebacks.py": tracebacks,
  "unawaited.py": unawaited,
  "urllib3_patch.py": urllib3Patch,
  "values.py": values,
  "waiting.py": waiting,
};

/** The Python files that a snapshot of the lock file's Pyodide holds, by name. */
export function runnerFor(lockFile: string): Record<string, string> {
  return { ...RUNNER, "catalog.py": toCatalog(lockFile) };
}

/** Makes a Python module that knows, for hints, the package of each module */
function toCatalog(lockFile: string): string {
  const packages: Record<string, { imports?: string[] }> =
    JSON.parse(lockFile).packages;
  const entries = Object.entries(packages).flatMap(([name, { imports = [] }]) =>
    name.endsWith("-tests") ? [] : imports.map((module) => [module, name])
  );
  return toModule({ PACKAGES: Object.fromEntries(entries) });
}

/** JSON without `true`, `false` and `null` is Python. */
function toModule(names: Record<string, object>): string {
  return Object.entries(names)
    .map(([name, value]) => `${name} = ${JSON.stringify(value, null, 1)}\n`)
    .join("");
}
