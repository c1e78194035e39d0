// The workers of phase 1, none of which has a permission: one makes the base
// snapshot, one chooses and unpacks wheels and executes none of them, and that of the
// preloader imports packages for the first time.
import { firstMessage, lastWords } from "../../engines/pyodide/worker/doors.ts";
import { beforePython, boot } from "../../engines/pyodide/worker/boot.ts";
import { loadedLibraries } from "../../engines/pyodide/worker/libraries.ts";
import {
  addModules,
  mountPackages,
  sitePackages,
} from "../../engines/pyodide/worker/packages.ts";
import { packSnapshot } from "../../engines/pyodide/worker/snapshot.ts";
import type {
  FromInstallWorker,
  InstallCall,
  OwnModules,
  WheelAddress,
  WorkerSetup,
} from "./messages.ts";
import type { PyodideInterface, PyProxy } from "../../../deps/pyodide.ts";
import { clearFreeMemory } from "../../engines/pyodide/worker/memory.ts";

// The host is trusted, and only the host can send this message.
const setup = await firstMessage as WorkerSetup;
const { port } = setup;
const post = (message: FromInstallWorker) => port.postMessage(message);
const asked: ((answer: unknown) => void)[] = [];

/** The only ways out: the host answers by number. */
const host = {
  fetch: (url: string, headers: string, most?: number) =>
    ask((id) => ({
      type: "fetch",
      id,
      url,
      headers: JSON.parse(headers),
      most,
    })),
  wheel: (address: string) => {
    const wheel: WheelAddress = JSON.parse(address);
    return ask((id) => ({ type: "wheel", id, wheel }));
  },
  say: (event: string) => post({ type: "say", event: JSON.parse(event) }),
};

/** A call, or the answer to the question of a number. */
type ToInstallWorker = InstallCall | {
  call: "answer";
  id: number;
  answer: unknown;
};

try {
  const { own, packages } = setup;
  const python = await boot(setup, own !== undefined || packages !== undefined);
  if (packages) mountPackages(python, packages);
  if (own) addOwn(python, setup.package, own);
  python.runPython("import importlib; importlib.invalidate_caches()");
  const module = (name: string): PyProxy =>
    python.pyimport(`${setup.package}.${name}`);
  own?.imports.forEach(module);
  // That of this program's own, which a snapshot has imported.
  const preload = () => python.pyimport("mcp_runner.preload");
  if (own?.hasStdlib) preload().import_stdlib();
  const perform = async (message: InstallCall): Promise<unknown> => {
    switch (message.call) {
      case "version":
        return python.runPython("import platform; platform.python_version()");
      case "import": {
        const reason = preload().try_import(message.module);
        try {
          Reflect.get(python, "_api").serializeHiwireState();
          return { reason };
        } catch (error) {
          // Python now refers to a JavaScript object.
          return { reason, unfit: String(error) };
        }
      }
      case "snapshot": {
        preload().settle();
        const folders: string[] = JSON.parse(preload().made_folders());
        const emscripten = Reflect.get(python, "_module");
        clearFreeMemory(emscripten);
        try {
          const whole = python.makeMemorySnapshot();
          const snapshot = packSnapshot(whole, beforePython);
          return { snapshot, libraries: loadedLibraries(emscripten), folders };
        } catch (error) {
          return { fault: String(error) };
        }
      }
      case "layout":
        return Object.fromEntries(
          Object.entries(beforePython.offsets)
            .map(([symbol, { value }]) => [symbol, value]),
        );
      case "plan":
      case "probe": {
        const order = JSON.stringify(message.order);
        const perform = module("plan")[message.call];
        return JSON.parse(await perform.callPromising(host, order));
      }
      case "unpack":
        return JSON.parse(
          module("unpack").unpack(message.file, message.place, message.bytes),
        );
      case "collect":
        return module("unpack").collect();
    }
  };
  port.onmessage = async ({ data }: MessageEvent<ToInstallWorker>) => {
    if (data.call === "answer") return asked[data.id]?.(data.answer);
    try {
      post({ type: "result", value: await perform(data) });
    } catch (error) {
      broken(error);
    }
  };
} catch (error) {
  broken(error);
}

function addOwn(
  python: PyodideInterface,
  name: string,
  { wheels, modules }: OwnModules,
): void {
  const site = sitePackages(python);
  for (const wheel of wheels) {
    python.unpackArchive(wheel, "wheel", { extractDir: site });
  }
  addModules(python, name, modules);
}

function broken(error: unknown): void {
  post({ type: "broken", reason: `${error} ${lastWords.text}`.trim() });
}

function ask(message: (id: number) => FromInstallWorker): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  post(message(asked.push(resolve) - 1));
  return promise;
}
