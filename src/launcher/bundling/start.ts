const IS_WINDOWS = Deno.build.os === "windows";

/** Deno's file in a bundle. */
export const DENO: string = IS_WINDOWS ? "deno.exe" : "deno";

/** Folder of the npm packages in a bundle. */
export const PACKAGES_IN_BUNDLE = "deno-dir/npm/localhost";

/**
 * Variables with which Deno runs from the files of a bundle. Its folder of npm
 * packages is named after their registry: in a bundle it has another name, so that
 * no setting of a machine leads Deno elsewhere.
 *
 * @param folder The bundle, with a separator at the end.
 */
export function toDenoVariables(folder: string): Record<string, string> {
  return {
    DENO_DIR: `${folder}deno-dir`,
    NPM_CONFIG_REGISTRY: "http://localhost/",
    DENO_NO_UPDATE_CHECK: "1",
  };
}

const SH = `#!/bin/sh
# Starts mcp-run-python from this folder, without a network.
here=$(dirname -- "$(readlink -f -- "$0")")
${lines(toDenoVariables("$here/"), (text) => `export "${text}"`)}
export MCP_RUN_PYTHON_CACHE="$here/cache" MCP_RUN_PYTHON_OFFLINE=1
export MCP_RUN_PYTHON_CONFIG="\${MCP_RUN_PYTHON_CONFIG:-$here/options.toml}"
[ $# -gt 0 ] || set -- stdio
exec "$here/deno" run -A --cached-only "$here/program/cli.ts" "$@"
`;

const CMD = `@echo off
rem Starts mcp-run-python from this folder, without a network.
setlocal
${lines(toDenoVariables("%~dp0"), (text) => `set "${text}"`)}
set "MCP_RUN_PYTHON_CACHE=%~dp0cache"
set "MCP_RUN_PYTHON_OFFLINE=1"
if not defined MCP_RUN_PYTHON_CONFIG set "MCP_RUN_PYTHON_CONFIG=%~dp0options.toml"
if "%~1"=="" (
  "%~dp0deno.exe" run -A --cached-only "%~dp0program\\cli.ts" stdio
) else (
  "%~dp0deno.exe" run -A --cached-only "%~dp0program\\cli.ts" %*
)
`.replaceAll("\n", "\r\n");

function lines(
  variables: Record<string, string>,
  toLine: (text: string) => string,
): string {
  return Object.entries(variables)
    .map(([name, value]) => toLine(`${name}=${value}`)).join("\n");
}

/** The file that starts a bundle. */
export const START: { name: string; text: string } = IS_WINDOWS
  ? { name: "mcp-run-python.cmd", text: CMD }
  : { name: "mcp-run-python", text: SH };
