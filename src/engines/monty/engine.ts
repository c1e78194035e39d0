import type { EngineRow } from "../engine.ts";

/** Monty: a subset of Python in WebAssembly, that starts in milliseconds. */
export const MONTY = {
  profile: {
    ...{
      name: "monty",
      label: "Monty",
      canSave: false,
      canRewind: false,
      exits: {},
    },
    promises: {
      lacks:
        "a subset of Python without packages: no inheritance, no yield, few modules of the standard library",
      always: [
        "In long work call notify_progress(message, progress, total), which needs no import.",
      ],
      withPackage: {},
      http: {
        modules: ["http_request(url, method, headers, body)"],
        packages: [],
      },
    },
  },
  host: new URL("./host.ts", import.meta.url),
  workers: [new URL("./worker/worker.ts", import.meta.url)],
  // Python's own limit is that of its WebAssembly memory.
  flags: () => ["--v8-flags=--disallow-code-generation-from-strings"],
  mappedMiB: 2048,
  findRuntime: async () => (await import("./runtime.ts")).findRuntime(),
} satisfies EngineRow;
