import { reasonOf, usageError } from "../errors.ts";
import type { ReadPolicy } from "../grants/policy_file/read_policy.ts";
import type { CliContext, Env } from "./context.ts";
import { didYouMean } from "./did_you_mean.ts";

/** The machine and the variables that a policy is read with. */
export interface PolicySources {
  context: CliContext;
  env: Env;
  /** The path for the guest of a path without `x-mount`; the same path if absent. */
  toGuest?(host: string): string;
}

/**
 * Reads the policy of a guest.
 *
 * @param path Absolute.
 * @throws {UserError} If it cannot be read, or is not a policy.
 */
export async function readPolicyFile(
  path: string,
  { context, env, toGuest }: PolicySources,
): Promise<ReadPolicy> {
  const text = readText(path, context);
  // Most starts have no policy.
  const { readPolicy } = await import(
    "../grants/policy_file/read_policy.ts"
  );
  return readPolicy(text, {
    file: path,
    os: context.os,
    isFolder: context.isFolder,
    realPath: (path) =>
      context.realPath?.(path) ?? (context.exists(path) ? path : undefined),
    variable: (name) => env[name],
    didYouMean,
    ...(toGuest ? { toGuest } : {}),
  });
}

function readText(path: string, context: CliContext): string {
  const refuse = (reason: string) =>
    usageError(
      `Cannot read the policy "${path}": ${reason}. Name a YAML file, as docs/policy.md describes it.`,
    );
  if (!context.isFile(path)) {
    throw refuse(
      context.exists(path) ? "it is not a file" : "it does not exist",
    );
  }
  try {
    return context.readTextFile(path);
  } catch (error) {
    throw refuse(reasonOf(error));
  }
}
