import { EXIT } from "../../errors.ts";
import { explainGrants } from "../../grants/policy_file/explain.ts";
import { readPolicyFile } from "../../grants/policy_file/read_policy.ts";
import { print } from "../../log.ts";
import type { CliContext, Env } from "../context.ts";
import { toSection } from "../sizes.ts";

/** Holds for each guest, and no policy changes it. */
const ALWAYS = [
  "addresses outside the internet that are not named, and names that lead to them",
  "files to which a symbolic link leads out of a granted folder",
  "all else that is not granted above",
];

/**
 * Explains a policy.
 *
 * @param path Absolute.
 * @throws {UserError} If it is not a policy.
 */
export function policy(
  path: string,
  context: CliContext,
  env: Env = Deno.env.toObject(),
): number {
  const { grants, warnings, description } = readPolicyFile(path, {
    ...context,
    env,
  });
  const lines = [
    ...description ? [description, ""] : [],
    ...explainGrants(grants, "A guest"),
    ...toSection("Refused always:", ALWAYS),
    ...toSection("Warnings:", warnings),
  ];
  print(lines.map((line) => `${line}\n`).join(""));
  return EXIT.ok;
}
