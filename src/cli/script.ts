import { EXIT, UserError } from "../errors.ts";
import { head } from "../results/cut.ts";
import {
  parseScriptMetadata,
  type ScriptMetadata,
} from "../requirements/script_metadata.ts";
import type { Settings } from "../settings.ts";
import type { Source } from "./arguments.ts";
import { type CliContext, pathRules } from "./context.ts";
import { toRequirement } from "./requirements/requirement.ts";
import { nameOf } from "./source.ts";

/**
 * Reads the metadata in a script.
 *
 * @returns Undefined if the script has none.
 * @throws {UserError} If the metadata is malformed.
 */
export async function readMetadata(
  code: string,
  source: Source,
): Promise<ScriptMetadata | undefined> {
  try {
    return await parseScriptMetadata(code);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UserError(
      `Cannot run ${nameOf(source)}: ${error.message}. ` +
        "See PEP 723 for how to write it.",
      EXIT.usage,
    );
  }
}

/**
 * Adds the dependencies of a script to the settings, unless these name a lock
 * file, which is the whole of the packages.
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
  return {
    ...settings,
    dependencies: [...new Set([...settings.dependencies, ...added])],
  };
}

/**
 * Refuses a script for another Python.
 *
 * @param python Version of this Python.
 * @param range Versions that the script requires, such as `>=3.11`.
 * @throws {UserError} If the version is not in the range, or the range is
 * malformed.
 */
export async function checkPython(
  python: string,
  range: string,
  source: Source,
): Promise<void> {
  const { maybeInRange } = await import("../requirements/version_range.ts");
  const isInRange = maybeInRange(python, range);
  if (isInRange === undefined) {
    throw new UserError(
      `Cannot run ${nameOf(source)} as its requires-python, ` +
        `"${
          head(range, 100)
        }", is not a range of versions; write it like ">=3.11".`,
      EXIT.usage,
    );
  }
  if (isInRange) return;
  throw new UserError(
    `Cannot run ${nameOf(source)} as it requires Python ${range}, ` +
      `and this is ${python}.`,
  );
}
