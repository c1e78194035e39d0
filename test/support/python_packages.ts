import { join } from "node:path";
import { runUv } from "../../scripts/build/uv.ts";
import { messageOf } from "../../src/errors.ts";
import { findPython } from "../bench/figures/plain_python.ts";
import { makeOnce } from "./make_once.ts";
import { run } from "../../src/launcher/bundling/write_program.ts";

/**
 * Clients of Python, in the versions that docs/clients.md names: the official one,
 * and those that need its major version.
 */
export const PYTHON_CLIENTS = {
  mcp1: [
    "mcp==1.30.0",
    "langchain-mcp-adapters==0.3.2",
    "openai-agents==0.24.0",
  ],
  mcp2: ["mcp==2.3.0", "fastmcp==4.1.2", "pydantic-ai-slim[mcp]==2.68.0"],
};

/** A CPython, and the folder of packages to put on its path. */
export interface PythonPackages {
  python: string;
  folder: string;
}

/**
 * Gives a CPython with packages from PyPI; installs them once.
 *
 * @param requirements With exact versions.
 * @returns The reason, if it cannot be had.
 */
export async function getPythonPackages(
  ...requirements: string[]
): Promise<PythonPackages | { reason: string }> {
  const python = await findPython();
  if (python === undefined) return { reason: "there is no python3" };
  try {
    const folder = await makeOnce(
      `python-${requirements.join("+")}`,
      (draft) =>
        runUv([
          ...["pip", "install", "--python", python, "--target", draft],
          ...["--only-binary", ":all:", ...requirements],
        ]),
    );
    return { python, folder };
  } catch (error) {
    return { reason: messageOf(error) };
  }
}

/**
 * Runs a program by a CPython, with its packages on the path.
 *
 * @returns What it printed.
 */
export function runPython(
  { python, folder }: PythonPackages,
  args: string[],
  { env, ...options }: Pick<Deno.CommandOptions, "cwd" | "env"> = {},
): Promise<string> {
  return run(python, args, {
    ...options,
    env: {
      PYTHONPATH: folder,
      // Beside the repository's own modules there is to be no file.
      PYTHONPYCACHEPREFIX: join(folder, "pycache"),
      PYTHONIOENCODING: "utf-8",
      ...env,
    },
  });
}
