import { hasCredentials } from "../requirements/hide_credentials.ts";
import type { Option } from "../settings/option.ts";
import { OPTIONS, type Settings, toRows } from "../settings.ts";
import type { Env } from "./context.ts";

/** The way to start this program anew. */
export interface CommandLine {
  /** Options; the command is not among them. */
  args: string[];
  env: Record<string, string>;
}

/**
 * The command line that gives these settings again, whatever variables said.
 *
 * A text that is or may be secret goes into a variable: any user of a machine
 * can read the arguments of its processes.
 *
 * @param env Variables to keep; those of options are replaced.
 */
export function toCommandLine(settings: Settings, env: Env): CommandLine {
  const mirrored = new Set(OPTIONS.flatMap(({ variables }) => variables));
  const line: CommandLine = { args: [], env: {} };
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !mirrored.has(name)) line.env[name] = value;
  }
  const values = new Map<string, unknown>(Object.entries(settings));
  for (const [key, option] of toRows()) {
    const value = values.get(key);
    if (value !== undefined) addOption(line, option, value);
  }
  return line;
}

function addOption(
  { args, env }: CommandLine,
  { flag, kind, preset, spec, variables }: Option,
  value: unknown,
): void {
  if (preset !== undefined) {
    if (value !== (spec.default ?? kind.none)) args.push(flag);
    return;
  }
  const texts = kind.write?.(value) ?? [String(value)];
  const [variable = ""] = variables;
  // Folders, which cannot be joined, have no separator.
  const { separator = texts.length > 1 ? undefined : "" } = kind;
  const isSecret = kind.shown !== undefined || texts.some(hasCredentials);
  if (separator !== undefined && texts.length > 0 && isSecret) {
    env[variable] = texts.join(separator);
  } else args.push(...texts.map((text) => `${flag}=${text}`));
}
