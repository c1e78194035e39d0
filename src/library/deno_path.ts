import { createRequire } from "node:module";
import process from "node:process";

/**
 * Finds Deno: `MCP_RUN_PYTHON_DENO`, the program that runs this, or, under Node,
 * that of the npm package `deno`.
 */
export function findDeno(): string {
  const named = process.env["MCP_RUN_PYTHON_DENO"];
  if (named) return named;
  if (process.versions["deno"]) return process.execPath;
  const require = createRequire(import.meta.url);
  return require("deno/install_api.cjs").runInstall();
}
