import type { ServerEntry } from "../../../protocol/downstream.ts";
import { fields } from "../../../protocol/fields.ts";
import { type FilePlace, type FoundServer, Unusable } from "./format.ts";
import type { Fill } from "./variables.ts";

/** The parts of a `ServerEntry` that a client's own keys say. */
export type Read = (
  raw: Record<string, unknown>,
  name: string,
) => StdioOrHttp;

/** How clients write the entries of a transport. */
export interface Written {
  /** The types that name it, in lower case. */
  types: readonly string[];
  /**
   * @returns Undefined if the entry lacks what a server of this transport needs.
   * @throws {Unusable} If a part is wrong.
   */
  read(
    raw: Record<string, unknown>,
    how: { fill: Fill; place: FilePlace; isTyped: boolean },
  ): StdioOrHttp | undefined;
}

type Allowed = "allowSelf" | "allowWritable";
type Without<E> = E extends unknown
  ? Omit<E, "name" | "description" | "source" | "always" | Allowed>
  : never;
export type StdioOrHttp = Without<ServerEntry>;

/** Characters of a server's name. */
const LONGEST_NAME = 128;
const LONGEST_DESCRIPTION = 1000;

/** Judges each entry of an object alone: a wrong one hides no other. */
export function judgeEach(
  servers: unknown,
  source: string,
  read: Read,
): FoundServer[] {
  if (servers === undefined || servers === null) return [];
  if (typeof servers !== "object" || Array.isArray(servers)) {
    const fault = new Unusable("its servers are not an object");
    return [toSkipped("", source, fault)];
  }
  return Object.entries(servers).map(([name, raw]) => {
    try {
      refuseName(name);
      if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
        throw new Unusable("it is not an object");
      }
      const parts = fields(raw);
      refuseDisabled(parts);
      const { description, always, allowSelf, allowWritable } = parts;
      return {
        entry: {
          name,
          source,
          ...read(parts, name),
          ...(typeof description === "string"
            ? { description: description.slice(0, LONGEST_DESCRIPTION) }
            : {}),
          ...(always === true ? { always } : {}),
          ...(allowSelf === true ? { allowSelf } : {}),
          ...(allowWritable === true ? { allowWritable } : {}),
        },
        notes: notesOf(name, parts),
      };
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      return toSkipped(name, source, error);
    }
  });
}

function refuseDisabled(
  { disabled, enabled }: Record<string, unknown>,
): void {
  if (disabled !== true && enabled !== false) return;
  const key = disabled === true ? '"disabled": true' : '"enabled": false';
  throw new Unusable("its file disables it", `Remove ${key} from its entry.`);
}

function refuseName(name: string): void {
  const isEmpty = name.trim() === "";
  if (!isEmpty && name.length <= LONGEST_NAME && !/\p{C}/u.test(name)) return;
  throw new Unusable(
    `its name is empty, longer than ${LONGEST_NAME} characters, or has control characters`,
    "Give it another name.",
  );
}

function toSkipped(
  name: string,
  source: string,
  { message: reason, remedy }: Unusable,
): FoundServer {
  const skipped = { name, source, reason };
  return remedy === undefined ? skipped : { ...skipped, remedy };
}

/**
 * Sentences, without a dot, for the keys of an entry that count for its client
 * and not here: the user sees them in `servers list`.
 */
function notesOf(name: string, raw: Record<string, unknown>): string[] {
  const notes: [readonly string[], string][] = [
    [ONLY, `name tools with --allow-tool '${name}.…'`],
    [WITHOUT, `name tools with --allow-tool '!${name}.…'`],
    [SIGN_IN, "a server that asks for a sign-in refuses its calls"],
    [["sandboxEnabled"], "the server runs without VS Code's sandbox"],
  ];
  return Object.keys(raw).filter((key) => !isNothing(raw[key])).flatMap((key) =>
    notes.filter(([keys]) => keys.includes(key))
      .map(([, note]) => `${key} does not count here: ${note}`)
  );
}

function isNothing(value: unknown): boolean {
  return value === false || value === null ||
    Array.isArray(value) && value.length === 0;
}

const ONLY = ["includeTools", "enabled_tools", "enabledTools"];
const WITHOUT = ["excludeTools", "disabled_tools", "disabledTools"];
const SIGN_IN = ["oauth", "auth", "authProviderType", "headersHelper"];
