import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import { forgetFile } from "./doors.ts";
import type { Mount } from "../../../grants/mounts.ts";
import type { EmscriptenLibraries } from "./libraries.ts";
import type { EmscriptenMemory } from "./snapshot.ts";
import type { LINKS } from "./links.ts";
import { offeredModule } from "../versions.ts";

/** URLs of Pyodide's JavaScript that a worker may import. */
export interface GlueUrls {
  loader: string;
  emscripten: string;
  /** The file of both, which the worker may read until it has; absent if they are in memory. */
  file?: string;
}

export type EmscriptenModule = EmscriptenMemory & EmscriptenLibraries & {
  /** The global offset table. */
  GOT: Record<string, { value: number }>;
  FS: PyodideInterface["FS"];
  /** Pyodide's own interface. */
  API: object;
};

/** Starts the Emscripten module with Pyodide's settings. */
export type CreateModule = (settings: {
  INITIAL_MEMORY?: number;
  [LINKS]?: object;
  preRun: ((module: EmscriptenModule) => unknown)[];
}) => Promise<EmscriptenModule>;

interface Glue {
  loadPyodide: (options: object) => Promise<PyodideInterface>;
  createPyodideModule: CreateModule;
}

/**
 * Imports Pyodide's JavaScript; without URLs, that of the npm package.
 *
 * @param mounts With the right to a file that it gives up, Deno would give up that to
 *   each folder around the file.
 */
export async function importGlue(
  urls: GlueUrls | undefined,
  mounts: readonly Mount[] = [],
): Promise<Glue> {
  if (!urls) return await import("../../../../deps/pyodide.ts");
  const { default: exported } = await import(urls.emscripten);
  const { loadPyodide } = await import(urls.loader);
  const { file } = urls;
  const isMounted = mounts.some(({ host }) =>
    file?.startsWith(host) && /^[/\\]/.test(file.slice(host.length))
  );
  if (file !== undefined && !isMounted) forgetFile(file);
  return { loadPyodide, createPyodideModule: exported ?? offeredModule() };
}
