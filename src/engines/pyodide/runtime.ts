import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TZDATA } from "../../../deps/tzdata.ts";
import pyodidePackage from "pyodide/package.json" with { type: "json" };
import { sha256 } from "../../disk.ts";
import { EXIT, reasonOf, UserError } from "../../errors.ts";
import type { FoundRuntime } from "../engine.ts";
import { RUNNER } from "./runner/modules.ts";
import type { Runtime } from "./stored_files.ts";
import { EMSCRIPTEN_FILES, RUNTIME_FILES } from "./versions.ts";
import { JS_NAMES } from "./worker/js_namespace.ts";
import { LINK_FORMAT } from "./worker/links.ts";
import { SNAPSHOT_FORMAT } from "./worker/snapshot.ts";

export interface Pyodide extends Runtime {
  version: string;
  /** Differs between two builds of the same version. */
  build: string;
}

export const NPM_PYODIDE: Pyodide = {
  folder: dirname(fileURLToPath(import.meta.resolve("pyodide/package.json"))),
  version: pyodidePackage.version,
  build: "npm",
};

const EMSCRIPTEN = EMSCRIPTEN_FILES.join(" or ");
const REMEDY = `Name a folder with ${
  [...Object.values(RUNTIME_FILES), EMSCRIPTEN].join(", ")
}, as a release of Pyodide has.`;

/** See `EngineRow`. */
export function findRuntime(folder?: string): FoundRuntime {
  return toRuntime(findPyodide(folder));
}

export function toRuntime(
  { version, build, ...files }: Pyodide,
): FoundRuntime {
  return {
    version,
    files,
    places: [files.folder],
    // The memory of a started Python depends on the abilities of V8, and refers to
    // JavaScript by name.
    identity: [
      ...[version, build, RUNNER, [...JS_NAMES], TZDATA.sha256],
      ...[SNAPSHOT_FORMAT, LINK_FORMAT, Deno.version.v8],
    ],
  };
}

/** @throws {UserError} If the folder does not hold a Pyodide. */
export function findPyodide(folder?: string): Pyodide {
  if (folder === undefined) return NPM_PYODIDE;
  try {
    return readPyodide(folder);
  } catch (error) {
    throw new UserError(
      `Cannot use "${folder}" as a Pyodide distribution: ${
        reasonOf(error)
      }. ${REMEDY}`,
      EXIT.usage,
    );
  }
}

function readPyodide(folder: string): Pyodide {
  const present = new Set(
    [...Deno.readDirSync(folder)].map(({ name }) => name),
  );
  const missing: string[] = Object.values(RUNTIME_FILES)
    .filter((name) => !present.has(name));
  const emscripten = EMSCRIPTEN_FILES.find((name) => present.has(name));
  if (emscripten === undefined) missing.push(EMSCRIPTEN);
  if (emscripten === undefined || missing.length > 0) {
    throw new Error(`it has no ${missing.join(", no ")}`);
  }
  const read = (name: string) => Deno.readTextFileSync(join(folder, name));
  const sizeOf = (name: string) => Deno.statSync(join(folder, name)).size;
  const lock = read(RUNTIME_FILES.lock);
  const version = present.has("package.json")
    ? parseVersion(read("package.json"), "package.json", ["version"])
    : parseVersion(lock, RUNTIME_FILES.lock, ["info", "version"]);
  // The loader holds an id of the build, so the large files are not read.
  const identity = [
    lock,
    read(RUNTIME_FILES.loader),
    ...[emscripten, RUNTIME_FILES.wasm, RUNTIME_FILES.stdlib].map(sizeOf),
  ];
  return {
    folder,
    emscripten,
    version,
    build: sha256(JSON.stringify(identity)),
  };
}

function parseVersion(text: string, file: string, path: string[]): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`its ${file} is not JSON`);
  }
  for (const key of path) value = Reflect.get(Object(value), key);
  if (typeof value === "string") return value;
  throw new Error(`its ${file} has no ${path.join(".")}`);
}
