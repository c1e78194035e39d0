import type { RunResult } from "../../protocol/run_result.ts";

/**
 * Whether code imports a package that could not be installed, as far as names tell: a
 * package's module may have another name than the package.
 *
 * @param packages Those that were asked for.
 */
export function mayImport(code: string, packages: readonly string[]): boolean {
  const modules = packages.map((name) => name.replaceAll(/[-.]/g, "_"));
  const imports = code.match(/^[ \t]*(?:import|from)[ \t].*$/gm) ?? [];
  const words = new Set(imports.join("\n").toLowerCase().match(/\w+/g));
  return modules.some((name) => words.has(name.toLowerCase()));
}

/** Adds to the error of a missing module why the server's packages are not there. */
export function explainMissing<Result extends RunResult>(
  result: Result,
  lacks: string | undefined,
): Result {
  if (lacks === undefined || result.status !== "run-error") return result;
  if (result.errorType !== "ModuleNotFoundError") return result;
  const error =
    `${result.error}\nThe packages of this server are not installed: ${lacks} The install is tried again: a later call, in a new session, finds them if it succeeds.`;
  return { ...result, error };
}
