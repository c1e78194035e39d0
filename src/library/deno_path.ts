import { createRequire } from "node:module";
import process from "node:process";
import { SandboxError } from "./sandbox_error.ts";

/**
 * Finds Deno: `MCP_RUN_PYTHON_DENO`, the program that runs this, or, under Node,
 * that of the npm package `deno`.
 *
 * @throws {SandboxError} If that package is not there; with the remedy.
 */
export function findDeno(): string {
  const named = process.env["MCP_RUN_PYTHON_DENO"];
  if (named) return named;
  if (process.versions["deno"]) return process.execPath;
  const require = createRequire(import.meta.url);
  try {
    return require("deno/install_api.cjs").runInstall();
  } catch (cause) {
    throw new SandboxError(
      "Cannot find Deno: the npm package deno is not installed beside mcp-run-python. Run `npm install deno` there, install a folder with --install-links, or name Deno by MCP_RUN_PYTHON_DENO.",
      { cause },
    );
  }
}
