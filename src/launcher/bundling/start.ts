const IS_WINDOWS = Deno.build.os === "windows";

/** Deno's file in a bundle. */
export const DENO: string = IS_WINDOWS ? "deno.exe" : "deno";

/**
 * Deno names its folder of npm packages after their registry. In a bundle it has
 * another name, so that no setting of a machine leads Deno elsewhere.
 */
export const REGISTRY_NAME = "localhost";
export const NPMRC: string = `registry=http://${REGISTRY_NAME}/\n`;

const SH = `#!/bin/sh
# Starts mcp-run-python from this folder, without a network.
here=$(dirname -- "$(readlink -f -- "$0")")
unset NPM_CONFIG_REGISTRY
export DENO_DIR="$here/deno-dir" DENO_NO_UPDATE_CHECK=1
export MCP_RUN_PYTHON_CACHE="$here/cache" MCP_RUN_PYTHON_OFFLINE=1
export MCP_RUN_PYTHON_CONFIG="\${MCP_RUN_PYTHON_CONFIG:-$here/options.toml}"
[ $# -gt 0 ] || set -- stdio
exec "$here/deno" run -A --cached-only "$here/program/cli.ts" "$@"
`;

const CMD = `@echo off
rem Starts mcp-run-python from this folder, without a network.
setlocal
set "NPM_CONFIG_REGISTRY="
set "DENO_DIR=%~dp0deno-dir"
set "DENO_NO_UPDATE_CHECK=1"
set "MCP_RUN_PYTHON_CACHE=%~dp0cache"
set "MCP_RUN_PYTHON_OFFLINE=1"
if not defined MCP_RUN_PYTHON_CONFIG set "MCP_RUN_PYTHON_CONFIG=%~dp0options.toml"
if "%~1"=="" (
  "%~dp0deno.exe" run -A --cached-only "%~dp0program\\cli.ts" stdio
) else (
  "%~dp0deno.exe" run -A --cached-only "%~dp0program\\cli.ts" %*
)
`.replaceAll("\n", "\r\n");

/** The file that starts a bundle. */
export const START: { name: string; text: string } = IS_WINDOWS
  ? { name: "mcp-run-python.cmd", text: CMD }
  : { name: "mcp-run-python", text: SH };
