import {
  compileLibraries,
  type EnvironmentFiles,
  type RuntimeFiles,
} from "../engines/pyodide/stored_files.ts";
import { tryCode } from "../engines/pyodide/try_code.ts";
import type { Made } from "../environments/preloader_messages.ts";

/**
 * Imports modules as the runs of an environment will.
 *
 * @param made Undefined for the snapshot that the environment has.
 * @returns The reason if that fails.
 */
export async function tryImports(
  { runtime, environment }: {
    runtime: RuntimeFiles;
    environment: EnvironmentFiles;
  },
  made: Made | undefined,
  modules: string[],
): Promise<string | undefined> {
  try {
    const libraries = compileLibraries(
      made?.libraries ?? [],
      environment.packages,
    );
    const files = { ...runtime, ...environment, ...made, libraries };
    const code = modules.map((name) => `import ${name}\n`).join("");
    const ending = await tryCode({ ...files, imports: [] }, code);
    if (ending.status === "success") return undefined;
    return `Its snapshot does not work: ${ending.error}`;
  } catch (error) {
    return `Its snapshot cannot be restored: ${error}`;
  }
}
