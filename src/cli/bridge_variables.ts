import { CODE_MODE, type CommandName } from "../settings/option.ts";
import { VARIABLE_NAMES } from "../settings.ts";
import type { Env } from "./context.ts";

/** The start of the variables of the program that code mode takes the place of. */
const PREFIX = "MCP_BRIDGE_";

/** Files of MCP servers, as the predecessor and other programs name them. */
export const SERVERS_VARIABLES = [
  "MCP_SERVERS_CONFIG",
  `${PREFIX}MCP_SERVERS_CONFIG`,
  `${PREFIX}SERVERS_CONFIG`,
] as const;

/** How its values are written here; others are written in the same way. */
const TRANSLATIONS: Readonly<Record<string, (text: string) => string>> = {
  [`${PREFIX}MEMORY`]: toMiB,
  [`${PREFIX}LOG_LEVEL`]: toLevel,
  [`${PREFIX}ALLOW_SELF_SERVER`]: toToggle,
  [`${PREFIX}OUTPUT_MODE`]: (text) => text.toLowerCase(),
};

/**
 * The variables that count for a command: those of the predecessor only in code
 * mode, so that they change nothing else; their values are then written as ours.
 */
export function withBridgeVariables(env: Env, isCodeMode: boolean): Env {
  const entries = Object.entries(env);
  if (!isCodeMode) {
    return Object.fromEntries(entries.filter(([name]) => !isBridges(name)));
  }
  return Object.fromEntries(
    entries.map(([name, text]) => {
      const translate = Object.hasOwn(TRANSLATIONS, name) && TRANSLATIONS[name];
      return [name, translate && text ? translate(text.trim()) : text];
    }),
  );
}

/** A sentence for all variables of the predecessor that have no meaning here. */
export function warnOfBridgeVariables(env: Env): string[] {
  const known = [...VARIABLE_NAMES, ...SERVERS_VARIABLES];
  const ignored = Object.keys(env)
    .filter((name) => isBridges(name) && !known.includes(name)).sort();
  return ignored.length === 0
    ? []
    : [`Ignoring ${ignored.join(", ")}: there are no containers here.`];
}

/** Whether a command can have code mode. */
export function canCodeMode(command: CommandName): boolean {
  return CODE_MODE.includes(command);
}

function isBridges(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** MiB of a size such as `512m`, `1g` or `512`; other texts as they are. */
function toMiB(text: string): string {
  const [, number, unit = "m"] =
    /^(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?$/i.exec(text) ??
      [];
  const factor = { k: 1 / 1024, m: 1, g: 1024, t: 1024 * 1024 }[
    unit.toLowerCase() || "m"
  ];
  return number === undefined || factor === undefined
    ? text
    : `${Math.floor(Number(number) * factor)}`;
}

function toLevel(text: string): string {
  const level = text.toLowerCase();
  return { warn: "warning", critical: "error", fatal: "error" }[level] ?? level;
}

function toToggle(text: string): string {
  const word = text.toLowerCase();
  if (["yes", "on", "y"].includes(word)) return "true";
  return ["no", "off", "n"].includes(word) ? "false" : word;
}
