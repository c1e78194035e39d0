import { UserError } from "../errors.ts";
import { head } from "../results/cut.ts";
import {
  parseScriptMetadata,
  type ScriptMetadata,
} from "../requirements/script_metadata.ts";
import type { Settings } from "../settings.ts";
import { cannotRun, nameOf, type Source } from "./arguments.ts";
import { type CliContext, pathRules } from "./context.ts";
import { toRequirement } from "./requirements/requirement.ts";

/** @throws {UserError} If the metadata is malformed. */
export async function readMetadata(
  code: string,
  source: Source,
): Promise<ScriptMetadata | undefined> {
  try {
    return await parseScriptMetadata(code);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const remedy = "See PEP 723 for how to write it.";
    throw cannotRun(source, `: ${error.message}. ${remedy}`);
  }
}

/**
 * Adds a script's dependencies, unless the settings name a lock file, which is
 * the whole of the packages.
 *
 * @throws {UserError} If a dependency is not a name, a path or a URL.
 */
export function withDependencies(
  settings: Settings,
  { dependencies }: ScriptMetadata,
  source: Source,
  context: CliContext,
): Settings {
  if (settings.locked) return settings;
  const { dirname } = pathRules(context);
  const origin = {
    folder: source.kind === "file" ? dirname(source.path) : context.cwd,
    context,
    where: ` of ${nameOf(source)}`,
  };
  const added = dependencies.map((text) => toRequirement(text, origin));
  const all = new Set([...settings.dependencies, ...added]);
  return { ...settings, dependencies: [...all] };
}

/** @throws {UserError} If the version is not in the range, or that is malformed. */
export async function checkPython(
  python: string,
  range: string,
  source: Source,
): Promise<void> {
  const { maybeInRange } = await import("../requirements/version_range.ts");
  const isInRange = maybeInRange(python, range);
  if (isInRange === undefined) {
    const shown = head(range, 100);
    throw cannotRun(
      source,
      ` as its requires-python, "${shown}", is not a range of versions; write it like ">=3.11".`,
    );
  }
  if (isInRange) return;
  const name = nameOf(source);
  throw new UserError(
    `Cannot run ${name} as it requires Python ${range}, and this is ${python}.`,
  );
}
