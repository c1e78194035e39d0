// The untrusted side of a preload: imports packages, and takes the snapshot.
import { firstMessage, lastWords } from "../engines/pyodide/worker/doors.ts";
import { beforePython, boot } from "../engines/pyodide/worker/boot.ts";
import { loadedLibraries } from "../engines/pyodide/worker/libraries.ts";
import {
  addModules,
  mountPackages,
} from "../engines/pyodide/worker/packages.ts";
import { packSnapshot } from "../engines/pyodide/worker/snapshot.ts";
import { clearFreeMemory } from "../engines/pyodide/worker/memory.ts";
import type {
  FromPreloadWorker,
  PreloadStart,
} from "../environments/installer_messages.ts";

// The host is trusted, and only the host can send this message.
const start = await firstMessage as PreloadStart;
const { port, runner } = start;
const post = (message: FromPreloadWorker) => port.postMessage(message);

try {
  const python = await boot(start, true);
  mountPackages(python, start.packages);
  if (runner) addModules(python, "mcp_runner", runner);
  python.runPython("import importlib; importlib.invalidate_caches()");
  python.pyimport("mcp_runner.runner");
  const preload = python.pyimport("mcp_runner.preload");
  if (runner) preload.import_stdlib();
  for (const module of start.modules) {
    post({ type: "importing", module });
    const reason: string | undefined = preload.try_import(module);
    if (reason !== undefined) post({ type: "failed", module, reason });
    try {
      Reflect.get(python, "_api").serializeHiwireState();
    } catch (error) {
      // Python now refers to a JavaScript object.
      post({ type: "unfit", module, reason: String(error) });
    }
  }
  preload.settle();
  const folders: string[] = JSON.parse(preload.made_folders());
  const module = Reflect.get(python, "_module");
  clearFreeMemory(module);
  const snapshot = packSnapshot(python.makeMemorySnapshot(), beforePython);
  const libraries = loadedLibraries(module);
  post({ type: "made", snapshot, libraries, folders });
} catch (error) {
  post({ type: "broken", reason: `${error} ${lastWords.text}`.trim() });
}
