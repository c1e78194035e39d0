// The workers of phase 1: one makes the base snapshot, one chooses and unpacks
// wheels. Neither has a permission, and neither executes a package.
import { firstMessage, lastWords } from "../engines/pyodide/worker/doors.ts";
import { beforePython, boot } from "../engines/pyodide/worker/boot.ts";
import {
  addModules,
  sitePackages,
} from "../engines/pyodide/worker/packages.ts";
import { packSnapshot } from "../engines/pyodide/worker/snapshot.ts";
import type {
  FromInstallWorker,
  InstallCall,
  OwnModules,
  WheelAddress,
  WorkerSetup,
} from "../environments/installer_messages.ts";
import type { PyodideInterface, PyProxy } from "../../deps/pyodide.ts";
import { clearFreeMemory } from "../engines/pyodide/worker/memory.ts";

// The host is trusted, and only the host can send this message.
const setup = await firstMessage as WorkerSetup;
const { port } = setup;
const post = (message: FromInstallWorker) => port.postMessage(message);
/** Our own modules that each snapshot has imported. */
const IMPORTS = { base: ["runner"], resolver: ["plan", "unpack"] };
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
  const python = await boot(setup, setup.own !== undefined);
  if (setup.own) addOwn(python, setup.package, setup.own);
  const module = (name: string): PyProxy =>
    python.pyimport(`${setup.package}.${name}`);
  const perform = async (message: InstallCall): Promise<unknown> => {
    switch (message.call) {
      case "snapshot": {
        const version: string = python.runPython(
          "import platform; platform.python_version()",
        );
        IMPORTS[message.of].forEach(module);
        const preload = python.pyimport("mcp_runner.preload");
        if (message.of === "base") preload.import_stdlib();
        preload.settle();
        clearFreeMemory(Reflect.get(python, "_module"));
        const whole = maybeSnapshot(python);
        if (!whole) return { version };
        return { snapshot: packSnapshot(whole, beforePython), version };
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
  python.runPython("import importlib; importlib.invalidate_caches()");
}

/** Python's memory; undefined if Python holds an object of JavaScript's. */
function maybeSnapshot(python: PyodideInterface): Uint8Array | undefined {
  try {
    return python.makeMemorySnapshot();
  } catch {
    return undefined;
  }
}

function broken(error: unknown): void {
  post({ type: "broken", reason: `${error} ${lastWords.text}`.trim() });
}

function ask(message: (id: number) => FromInstallWorker): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  post(message(asked.push(resolve) - 1));
  return promise;
}
