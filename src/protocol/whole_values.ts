import { fields } from "./fields.ts";

/** The name by which this program introduces itself to clients. */
export const SERVER_NAME = "mcp-run-python";

const KEY = "mcp-run-python/structured";

/** In a call's `_meta`, a program asks for whole values, whatever `--structured` says. */
export const WHOLE_VALUES: Readonly<Record<string, string>> = { [KEY]: "full" };

/** Whether a call asks so. */
export function wantsWhole(meta: unknown): boolean {
  return fields(meta)[KEY] === WHOLE_VALUES[KEY];
}
