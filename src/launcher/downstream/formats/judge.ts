import type { ServerEntry } from "../../../protocol/downstream.ts";
import { fields } from "../../../protocol/fields.ts";
import { reasonOf } from "../../../errors.ts";
import {
  type FileContents,
  type FilePlace,
  type FoundServer,
  Unusable,
} from "./format.ts";

/** The parts of a `ServerEntry` that a client's own keys say. */
export type Read = (
  raw: Record<string, unknown>,
  name: string,
) => StdioOrHttp;

type Without<E> = E extends unknown
  ? Omit<E, "name" | "description" | "source" | "always" | "allowSelf">
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
    return [
      toSkipped("", source, new Unusable("its servers are not an object")),
    ];
  }
  return Object.entries(servers).map(([name, raw]) => {
    try {
      refuseName(name);
      if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
        throw new Unusable("it is not an object");
      }
      const parts = fields(raw);
      refuseDisabled(parts);
      const { description, always, allowSelf } = parts;
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
        },
        notes: notesOf(name, parts),
      };
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      return toSkipped(name, source, error);
    }
  });
}

/** The contents of a file, or the reason why it cannot be read. */
export function readContents(
  { path }: Pick<FilePlace, "path">,
  read: (source: string) => FoundServer[],
): FileContents {
  try {
    return { servers: read(path) };
  } catch (error) {
    // Nested too deep.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) {
      throw error;
    }
    return { servers: [], fault: reasonOf(error) };
  }
}

function refuseDisabled(
  { disabled, enabled }: Record<string, unknown>,
): void {
  if (disabled !== true && enabled !== false) return;
  const key = disabled === true ? '"disabled": true' : '"enabled": false';
  throw new Unusable("its file disables it", `Remove ${key} from its entry.`);
}

function refuseName(name: string): void {
  if (
    name.trim() !== "" && name.length <= LONGEST_NAME && !/\p{C}/u.test(name)
  ) {
    return;
  }
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
  return {
    name,
    source,
    skipped: { reason, ...(remedy === undefined ? {} : { remedy }) },
  };
}

/**
 * Sentences, without a dot, for the keys of an entry that count for its client
 * and not here: the user sees them in `servers list`.
 */
function notesOf(name: string, raw: Record<string, unknown>): string[] {
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
