/**
 * The workers of phase 1: one makes the base snapshot, one chooses and unpacks
 * wheels. Neither has a permission, and neither executes a package.
 *
 * @module
 */
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
  WheelAddress,
  WorkerSetup,
} from "../environments/installer_messages.ts";
import type { PyProxy } from "../../deps/pyodide.ts";

// The host is trusted, and nothing else can have sent this.
const setup = await firstMessage as WorkerSetup;
const { port } = setup;
const post = port.postMessage.bind(port) as (
  message: FromInstallWorker,
) => void;
const asked: ((answer: unknown) => void)[] = [];

/** The only ways out: the host fetches, and answers by number. */
const host = {
  fetch: (url: string, headers: string) =>
    ask((id) => ({ type: "fetch", id, url, headers: JSON.parse(headers) })),
  wheel: (address: string) => {
    const wheel: WheelAddress = JSON.parse(address);
    return ask((id) => ({ type: "wheel", id, wheel }));
  },
  say: (event: string) => post({ type: "say", event: JSON.parse(event) }),
};

/** A call, or the answer to what was asked by number. */
type ToInstallWorker = InstallCall | {
  call: "answer";
  id: number;
  answer: unknown;
};

try {
  const python = await boot(setup, !setup.snapshot);
  const site = sitePackages(python);
  for (const wheel of setup.wheels) {
    python.unpackArchive(wheel, "wheel", { extractDir: site });
  }
  addModules(python, setup.package, setup.modules);
  python.runPython("import importlib; importlib.invalidate_caches()");
  const module = (name: string): PyProxy =>
    python.pyimport(`${setup.package}.${name}`);

  const perform = async (message: InstallCall): Promise<unknown> => {
    switch (message.call) {
      case "snapshot": {
        module("runner");
        const version: string = python.runPython(
          "import platform; platform.python_version()",
        );
        const preload = module("preload");
        preload.import_stdlib();
        preload.settle();
        return {
          snapshot: packSnapshot(python.makeMemorySnapshot(), beforePython),
          version,
        };
      }
      case "plan":
      case "probe":
        return JSON.parse(
          await module("plan")[message.call].callPromising(
            host,
            JSON.stringify(message.order),
          ),
        );
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

function broken(error: unknown): void {
  post({ type: "broken", reason: `${error} ${lastWords.text}`.trim() });
}

function ask(message: (id: number) => FromInstallWorker): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  post(message(asked.push(resolve) - 1));
  return promise;
}
