import { fileURLToPath } from "node:url";
import type { FoundRuntime } from "../engine.ts";
import artefact from "./artefact.json" with { type: "json" };

/** The files of the engine, as its processes get them. */
export interface MontyFiles {
  /** The interpreter: WebAssembly, gzipped. */
  wasm: string;
}

/** The version of Python whose subset it is: `sys.version`. */
const PYTHON = "3.14.0";

/** See `EngineRow`. */
export function findRuntime(): Promise<FoundRuntime> {
  const wasm = fileURLToPath(new URL("./monty.wasm.gz", import.meta.url));
  return Promise.resolve({
    version: artefact.version,
    python: PYTHON,
    files: { wasm } satisfies MontyFiles,
    places: [wasm],
    identity: [artefact.wasm],
  });
}
