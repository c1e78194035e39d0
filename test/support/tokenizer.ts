import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { getNpmPackages } from "./npm_packages.ts";

/** It has no door in `deps/`: each user would download its 30 MB with the lock file. */
const PACKAGE = "gpt-tokenizer@4.0.0";
const ENCODING = "o200k_base";

/** The encoding, and the package that counts by it. */
export const TOKENIZER: string = `${ENCODING}, by ${PACKAGE}`;

/** Gives a function that counts the tokens of a text. */
export async function openTokenizer(): Promise<(text: string) => number> {
  const installed = await getNpmPackages(PACKAGE);
  if ("reason" in installed) throw new Error(installed.reason);
  const path = "node_modules/gpt-tokenizer/esm/encoding";
  const file = join(installed.folder, path, `${ENCODING}.js`);
  const { countTokens } = await import(pathToFileURL(file).href);
  return countTokens;
}
