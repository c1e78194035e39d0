import { messageOf, reasonOf, usageError } from "../errors.ts";
import { hideCredentials } from "../requirements/hide_credentials.ts";
import type { Kind } from "../settings/kind.ts";
import type { Option } from "../settings/option.ts";
import { OPTIONS } from "../settings.ts";
import type { CliContext } from "./context.ts";
import { pathRules } from "../grants/paths.ts";
import { didYouMean } from "../did_you_mean.ts";

export interface OptionsFile {
  path: string;
  /** The key and the texts that each option has in it. */
  given: Map<Option, { key: string; texts: string[] }>;
}

/**
 * Reads a TOML file whose keys are names of options; of a `pyproject.toml`, its
 * table `[tool.mcp-run-python]`.
 *
 * @throws {UserError} If the file cannot be read, or has a wrong key or value.
 */
export async function readOptionsFile(
  path: string,
  context: CliContext,
): Promise<OptionsFile> {
  const table = toTable(await readToml(path, context), path, context);
  const given: OptionsFile["given"] = new Map();
  for (const [key, value] of Object.entries(table)) {
    const option = OPTIONS.find(({ names }) => names.includes(key));
    if (!option) {
      const shown = JSON.stringify(hideCredentials(key));
      const names = OPTIONS.flatMap(({ names }) => names);
      const hint = didYouMean(key, names);
      throw usageError(
        `Cannot use ${shown} in "${path}" as no option in a file has this name.${hint}`,
      );
    }
    const texts = toTexts(value, option.kind);
    if (!texts) throw wrongType(value, option.kind, toName(key, path));
    const { texts: before = [] } = given.get(option) ?? {};
    given.set(option, { key, texts: [...before, ...texts] });
  }
  return { path, given };
}

export function toName(key: string, path: string): string {
  return `${key} in "${path}"`;
}

async function readToml(path: string, context: CliContext): Promise<unknown> {
  let text: string;
  try {
    text = context.readTextFile(path);
  } catch (error) {
    const reason = reasonOf(error);
    throw usageError(
      `Cannot read the options in "${path}": ${reason}. Name a TOML file with --config.`,
    );
  }
  // Most starts have no file of options.
  const { parseToml } = await import("../../deps/toml.ts");
  try {
    return parseToml(text);
  } catch (error) {
    const reason = messageOf(error);
    throw usageError(`Cannot read the options in "${path}" as ${reason}.`);
  }
}

function toTable(document: unknown, path: string, context: CliContext): object {
  if (pathRules(context).basename(path) !== "pyproject.toml") {
    return Object(document);
  }
  const table: unknown = Object(Object(document).tool)["mcp-run-python"];
  if (isTable(table)) return table;
  throw usageError(
    `Cannot read the options in "${path}" as it has no table [tool.mcp-run-python]. Add one, or name another file.`,
  );
}

/** Texts as flags would give them; undefined if the value has a wrong type. */
function toTexts(value: unknown, kind: Kind<unknown>): string[] | undefined {
  if (typeof value === "string") return [value];
  const type: string = typeof value;
  if (type === kind.toml) return [String(value)];
  if (kind.toml === "table" && isTable(value)) return [JSON.stringify(value)];
  const isList = Array.isArray(value) && kind.join !== undefined &&
    value.every((one) => typeof one === "string");
  return isList ? value : undefined;
}

function isTable(value: unknown): value is object {
  return typeof value === "object" && value !== null &&
    !Array.isArray(value) && !(value instanceof Date);
}

function wrongType(value: unknown, kind: Kind<unknown>, name: string): Error {
  const shown = kind.shown ? "…" : hideCredentials(JSON.stringify(value));
  const wants = kind.wants + (kind.join ? ", or a list of texts" : "");
  return usageError(`Cannot use ${shown} for ${name} as it must be ${wants}.`);
}
