import { cp } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { stringifyToml } from "../../../deps/toml.ts";
import {
  type Environment,
  environmentFolder,
} from "../../environments/environment.ts";
import { noteResolved } from "../../environments/wanted_environment.ts";
import { reasonOf, UserError } from "../../errors.ts";
import { DEFAULTS, SETTINGS } from "../../settings.ts";
import { END_SIGNALS } from "../../signals.ts";
import { findWanted } from "../installing/request_id.ts";
import { onInterrupt } from "../interrupt.ts";
import { packageFolders, PACKAGES } from "../program_files.ts";
import { run, writeProgram } from "./write_program.ts";

/** The contents of a bundle beside the program. */
export interface BundleOrder {
  environment: Environment;
  /** Options beside packages, as a file of options has them. */
  given: Record<string, unknown>;
  /** Folder of the engine's own files, if they did not come with the program. */
  runtimeFolder?: string | undefined;
}

/**
 * Writes a folder with all that serves an environment: Deno, the program, its npm
 * packages, the environment, options and scripts that start it. No path of this
 * machine is in it. It is written beside its place, started once and renamed.
 *
 * @param folder Absolute; absent or empty.
 * @throws {UserError} If it cannot be written, or does not start.
 */
export async function writeBundle(
  folder: string,
  order: BundleOrder,
  step: (text: string) => void,
): Promise<void> {
  const interrupt = onInterrupt(END_SIGNALS);
  const draft = `${folder}.${crypto.randomUUID()}.tmp`;
  try {
    await Deno.mkdir(draft, { recursive: true });
    for (const [text, write] of STEPS) {
      interrupt.throwIfAborted();
      step(text);
      await write(draft, order);
    }
    interrupt.throwIfAborted();
    await Deno.remove(folder).catch(() => {});
    await Deno.rename(draft, folder);
  } catch (error) {
    await Deno.remove(draft, { recursive: true }).catch(() => {});
    const reason = interrupt.aborted
      ? "it was interrupted. Nothing is left of it"
      : reasonOf(error);
    throw new UserError(`Cannot write the bundle "${folder}": ${reason}.`);
  }
}

type Write = (draft: string, order: BundleOrder) => Promise<void>;

const STEPS: [text: string, write: Write][] = [
  [
    "Copying Deno",
    (draft) => Deno.copyFile(Deno.execPath(), join(draft, DENO)),
  ],
  ["Copying the program and its npm packages", copyProgram],
  ["Copying the environment", copyEnvironment],
  ["Starting the bundle once", start],
];

/** Copies the program to `program` in a folder, and its npm packages beside it. */
export async function copyProgram(folder: string): Promise<void> {
  const program = join(folder, "program");
  await Deno.mkdir(program);
  await writeProgram(program);
  const packages = join(folder, PACKAGES_IN_BUNDLE);
  for (const path of packageFolders(join(program, "deno.lock"))) {
    await cp(join(PACKAGES, path), join(packages, path), { recursive: true });
  }
}

async function copyEnvironment(
  draft: string,
  { environment, given, runtimeFolder }: BundleOrder,
): Promise<void> {
  const cacheDir = join(draft, "cache");
  const id = basename(environment.folder);
  const copy = environmentFolder(cacheDir, id);
  await Deno.mkdir(dirname(copy), { recursive: true });
  await cp(environment.folder, copy, { recursive: true });
  const [key = ""] = SETTINGS.runtimeFolder.names;
  if (runtimeFolder !== undefined) {
    await cp(runtimeFolder, join(draft, key), { recursive: true });
  }

  // Sources, lock files and paths of this machine are left behind.
  const dependencies = toPins(environment);
  const { request } = await findWanted({
    ...{ ...DEFAULTS, dependencies, cacheDir },
    ...(runtimeFolder === undefined ? {} : { runtimeFolder }),
  });
  if (request !== undefined) await noteResolved(cacheDir, request, id);
  const options = {
    ...(dependencies.length === 0 ? {} : { deps: dependencies }),
    ...(runtimeFolder === undefined ? {} : { [key]: key }),
    ...given,
  };
  await Deno.writeTextFile(
    join(draft, "options.toml"),
    `# Paths are relative to this folder.\n${stringifyToml(options)}`,
  );
}

/** Requirements of exactly the packages that were asked for. */
function toPins({ packages, requested }: Environment): string[] {
  return packages.filter(({ name }) => requested.includes(name))
    .map(({ name, version }) => `${name}==${version}`);
}

/** Writes its start script, and starts it as another user would. */
async function start(draft: string): Promise<void> {
  const path = join(draft, START.name);
  await Deno.writeTextFile(path, START.text, { mode: 0o755 });
  const { PATH = "", SYSTEMROOT = "" } = Deno.env.toObject();
  const args = ["run", "--isolation", "none", "-c", "pass"];
  const options = { clearEnv: true, env: { PATH, SYSTEMROOT } };
  const isWindows = Deno.build.os === "windows";
  const [program, ...before] = isWindows ? ["cmd", "/c", path] : [path];
  await run(program ?? path, [...before, ...args], options);
  // Deno's cache of sources holds for their folder alone.
  const denoDir = join(draft, "deno-dir");
  for await (const { name } of Deno.readDir(denoDir)) {
    if (name === "npm") continue;
    await Deno.remove(join(denoDir, name), { recursive: true });
  }
}

const IS_WINDOWS = Deno.build.os === "windows";

/** Deno's file in a bundle. */
export const DENO: string = IS_WINDOWS ? "deno.exe" : "deno";

/** Folder of the npm packages in a bundle. */
const PACKAGES_IN_BUNDLE = "deno-dir/npm/localhost";

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
