import { UserError } from "../errors.ts";
import { log } from "../log.ts";
import { head } from "../results/cut.ts";
import { parseScriptMetadata } from "../requirements/script_metadata.ts";
import type { Settings } from "../settings.ts";
import { cannotRun, nameOf, type Source } from "./arguments.ts";
import type { CliContext } from "./context.ts";
import { pathRules } from "../grants/paths.ts";
import { toRequirement } from "./requirements/requirement.ts";

/**
 * Reads a script's metadata, and adds its dependencies to settings, unless these
 * name a lock file, which is the whole of the packages.
 *
 * @throws {UserError} If the metadata is malformed, or a dependency is not a
 * name, a path or a URL.
 */
export async function withMetadata(
  settings: Settings,
  code: string,
  source: Source,
  context: CliContext,
): Promise<{ wanted: Settings; requiresPython?: string | undefined }> {
  const metadata = await parseScriptMetadata(code).catch((error) => {
    if (!(error instanceof SyntaxError)) throw error;
    const remedy = "See PEP 723 for how to write it.";
    throw cannotRun(source, `: ${error.message}. ${remedy}`);
  });
  if (!metadata && /^# \/\/\/ script$/m.test(code)) {
    log(
      `warning: The script block of ${
        nameOf(source)
      } is ignored, as no line # /// ends it.`,
    );
  }
  const { dependencies = [], requiresPython } = metadata ?? {};
  if (settings.locked) return { wanted: settings, requiresPython };
  const { dirname } = pathRules(context);
  const origin = {
    folder: source.kind === "file" ? dirname(source.path) : context.cwd,
    context,
    where: ` of ${nameOf(source)}`,
  };
  const added = dependencies.map((text) => toRequirement(text, origin));
  const all = new Set([...settings.dependencies, ...added]);
  return { wanted: { ...settings, dependencies: [...all] }, requiresPython };
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
  throw new UserError(
    `Cannot run ${
      nameOf(source)
    } as it requires Python ${range}, and this is ${python}.`,
  );
}
