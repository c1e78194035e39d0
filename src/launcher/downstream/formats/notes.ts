/**
 * Sentences, without a dot, for the keys of an entry that count for its client
 * and not here: the user sees them in `servers list`.
 */
export function notesOf(name: string, raw: Record<string, unknown>): string[] {
  return Object.keys(raw).filter((key) => !isNothing(raw[key])).flatMap(
    (key) => {
      if (ONLY.includes(key)) {
        return `${key} does not count here: name tools with --allow-tool '${name}.…'`;
      }
      if (WITHOUT.includes(key)) {
        return `${key} does not count here: name tools with --allow-tool '!${name}.…'`;
      }
      if (SIGN_IN.includes(key)) {
        return `${key} does not count here: a server that asks for a sign-in refuses its calls`;
      }
      if (key === "sandboxEnabled") {
        return "sandboxEnabled does not count here: the server runs without VS Code's sandbox";
      }
      return [];
    },
  );
}

function isNothing(value: unknown): boolean {
  return value === false || value === null ||
    Array.isArray(value) && value.length === 0;
}

const ONLY = ["includeTools", "enabled_tools", "enabledTools"];
const WITHOUT = ["excludeTools", "disabled_tools", "disabledTools"];
const SIGN_IN = ["oauth", "auth", "authProviderType", "headersHelper"];
