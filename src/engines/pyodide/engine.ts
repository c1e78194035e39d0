import type { EngineRow } from "../engine.ts";
import { ENVIRONMENT_FILES } from "./versions.ts";

/** How V8 ends a process when it can go no further: nearly always for memory. */
const V8_GAVE_UP = 133;

/** CPython in WebAssembly, with packages of the index and sessions that can be saved. */
export const PYODIDE = {
  profile: {
    name: "pyodide",
    label: "Pyodide",
    canSave: true,
    canRewind: true,
    exits: {
      [V8_GAVE_UP]: {
        status: "memory-limit",
        error:
          "JavaScript ran out of memory, of which there is half of --memory, and at least 512 MiB. " +
          "Keep data in Python's own memory, or allow more with --memory.",
      },
    },
    // Has V8 compile all that a run takes: a look takes nearly the same, and leaves
    // nothing behind. Else the first run of a process takes 10 ms more.
    rehearsal: { look: "is_complete", code: '{"text": "None"}' },
    promises: {
      choice: "CPython with packages, such as numpy, pandas and plots",
      lacks: "neither a shell nor pip, so no !pip",
      always: [
        "Plots of matplotlib, images of PIL, charts of plotly and its like, and what display(object) is given come back by themselves.",
        "In long work call notify_progress(message, progress, total), which needs no import.",
      ],
      withPackage: {
        numpy:
          'numpy\'s integers have 32 bits here and wrap in silence: give np.arange, np.array and .astype "int64" for what may exceed 2**31. numpy tells of no division by zero or overflow of floats.',
        pandas:
          "A DataFrame or Series as the last expression comes back as a table with its headings.",
      },
      http: {
        modules: ["urllib.request", "pyodide.http"],
        packages: ["requests", "httpx"],
      },
    },
  },
  host: new URL("./host.ts", import.meta.url),
  workers: ["worker", "mounting_worker"].map((name) =>
    new URL(`./worker/${name}.ts`, import.meta.url)
  ),
  npm: import.meta.resolve("pyodide/package.json"),
  /**
   * Closes `eval` and `Function`, bounds JavaScript's memory by Python's limit, and
   * has V8 optimize a hot function of WebAssembly once. By default V8 guesses the
   * targets of indirect calls, and compiles anew after a wrong guess: CPython's
   * interpreter loop six times, at half a second of CPU time or more each.
   *
   * The stacks of V8, in KiB, hold `stackKiB` of Python's however it is filled: half of
   * them do not. They need threads of 16 MiB, which `RUST_MIN_STACK` gives the process.
   */
  flags(memoryMiB) {
    const heapMiB = Math.max(512, Math.ceil(memoryMiB / 2));
    const flags = [
      "--disallow-code-generation-from-strings",
      `--max-old-space-size=${heapMiB}`,
      "--no-wasm-deopt",
      "--stack-size=7000",
      "--wasm-stack-switching-stack-size=8192",
    ];
    return [`--v8-flags=${flags.join(",")}`];
  },
  // An `elif` of 100 branches takes 240, as do 300 sums in an expression.
  stackKiB: 256,
  // 512 MiB of machine code for each of two isolates, stacks of threads, and the
  // memory of an isolate that ends while the next isolate starts. Measured with a
  // ready Python: 1.3 GiB.
  mappedMiB: 2048,
  environmentFiles: Object.values(ENVIRONMENT_FILES),
  async examine(folder) {
    const path = `${folder}/${ENVIRONMENT_FILES.links}`;
    const links = JSON.parse(await Deno.readTextFile(path));
    if (!("reason" in links)) {
      return { lines: ["linked: fast interpreters"], facts: { linked: true } };
    }
    const fault = "not linked, so that an interpreter takes twice the time";
    return { lines: [`${fault}: ${links.reason}`], facts: { linked: links } };
  },
  options: {
    runtime: {
      flags: "--pyodide <dir>",
      help: "folder of another Pyodide to use whole",
    },
    dist: "Pyodide distribution, or a copy of it",
  },
  findRuntime: async (folder) =>
    (await import("./runtime.ts")).findRuntime(folder),
} satisfies EngineRow;
