import type { EngineRow } from "./engine.ts";
import { MONTY } from "./monty/engine.ts";
import { PYODIDE } from "./pyodide/engine.ts";

/** The engine of requests that name none: settings take it from here. */
export const ENGINE: EngineRow & Required<Pick<EngineRow, "options" | "npm">> =
  PYODIDE;

/** All engines; a new engine adds its row. */
export const ENGINES: readonly EngineRow[] = [ENGINE, MONTY];
