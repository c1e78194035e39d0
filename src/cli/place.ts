import { reasonOf, usageError } from "../errors.ts";
import type { Place } from "../settings/kind.ts";
import type { CliContext, Env } from "./context.ts";
import { pathRules } from "../grants/paths.ts";
import { toFolder } from "./folders.ts";
import { toMount } from "./mount_options.ts";
import { toConstraint, toRequirement } from "./requirements/requirement.ts";

/**
 * The place of a value that a flag, variable or key called `name` gave; relative
 * paths start at the context's `cwd`.
 *
 * @param where Tells errors of requirements apart, such as ` in "/w/c.toml"`.
 */
export function toPlace(
  name: string,
  { context, env, where = "" }: {
    context: CliContext;
    env: Env;
    where?: string;
  },
): Place {
  const origin = { folder: context.cwd, context, where };
  const toPath = (text: string) =>
    pathRules(context).resolve(context.cwd, text);
  return {
    toPath,
    toFolder: (text) => toFolder(text, name, context),
    toMount: (text) => toMount(text, context),
    toRequirement: (text) => toRequirement(text, origin),
    toConstraint: (text) => toConstraint(text, origin),
    toLockFile(text) {
      const path = toPath(text);
      try {
        return { path, text: context.readTextFile(path) };
      } catch (error) {
        const reason = reasonOf(error);
        throw usageError(
          `Cannot read the lock file "${path}": ${reason}. Write one with mcp-run-python lock.`,
        );
      }
    },
    toVariable(variable) {
      const value = env[variable];
      if (value !== undefined) return value;
      throw usageError(
        `Cannot use "${variable}" for ${name} as this program has no such variable. Set it, or write ${variable}=VALUE.`,
      );
    },
  };
}
