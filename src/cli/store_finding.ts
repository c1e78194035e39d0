import { basename } from "node:path";
import {
  type Caches,
  foldersOf,
  maybeOpenOneOf,
  wantedFolders,
} from "../environments/wanted_environment.ts";
import { maybe } from "../errors.ts";
import { findWanted, type Wanted } from "../launcher/installing/request_id.ts";
import {
  SESSIONS,
  whyNotPrivate,
  whyNotWritable,
} from "../launcher/keepers.ts";
import type { Json } from "../protocol/run_result.ts";
import type { Settings } from "../settings.ts";
import type { Finding } from "./findings.ts";
import { toCount, toMiB } from "./sizes.ts";
import { readStored } from "./stored_sessions.ts";

/** Most files, or environments, that are named. */
const MOST_NAMED = 5;
const OTHERS =
  "stored with other packages, or by another version of mcp-run-python or Deno, which can go on with them:";
const UNSURE =
  "the environment of these options is not installed yet: mcp-run-python install tells whether it is one of these:";

/** @throws {UserError} If the folder cannot be read. */
export async function examineStore(
  settings: Wanted & Pick<Settings, "sessionStore" | "maxStoredSessionsMiB">,
): Promise<Finding<Json>> {
  const { sessionStore: folder, maxStoredSessionsMiB } = settings;
  if (folder === undefined) return { lines: ["none"], facts: null };
  const stored = await readStored(folder);
  if (!stored) {
    const lines = [folder, "not there yet: the first start makes it"];
    return { lines, facts: { folder, sessions: null } };
  }
  const { files, faults, environments } = stored;
  const bytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const reason = whyNotWritable(folder);
  const warning = whyNotPrivate(folder, SESSIONS);
  const own = wantedFolders(await findWanted(settings))
    .map((folder) => basename(folder));
  const others = [...environments].filter(([id]) => !own.includes(id))
    .sort(([, one], [, other]) => other - one)
    .map(([environment, sessions]) => {
      const packages = maybePackages(settings, environment);
      return { environment, sessions, packages };
    });
  return {
    lines: [
      folder,
      `${toCount(files.length, "session")}, ${
        toMiB(bytes)
      } of ${maxStoredSessionsMiB} MiB`,
      reason === undefined ? "writable" : `not writable: ${reason}`,
      ...warning === undefined ? [] : [warning],
      ...firstOf(faults.map(({ text }) => text)),
      ...others.length > 0 ? [own.length > 0 ? OTHERS : UNSURE] : [],
      ...firstOf(others.map(describe)),
    ],
    facts: {
      folder,
      sessions: files.length,
      bytes,
      unreadable: faults.length,
      others: others.map((one) => ({ ...one })),
      writable: reason === undefined,
      private: warning === undefined,
    },
  };
}

/** Sessions of another environment. */
interface Others {
  environment: string;
  sessions: number;
  /** With their versions; null if no cache has the environment. */
  packages: string[] | null;
}

function describe({ environment, sessions, packages }: Others): string {
  const place = packages === null
    ? "which no cache has"
    : `which the cache has: ${packages.join(", ") || "no packages"}`;
  return `  ${
    toCount(sessions, "session")
  } of the environment ${environment}, ${place}`;
}

function maybePackages(caches: Caches, id: string): string[] | null {
  const found = maybe(() => maybeOpenOneOf(foldersOf(caches, id)));
  return found?.packages
    .map(({ name, version }) => `${name} ${version}`) ?? null;
}

function firstOf(lines: string[]): string[] {
  const rest = lines.length - MOST_NAMED;
  return [
    ...lines.slice(0, MOST_NAMED),
    ...(rest > 0 ? [`… and ${rest} more`] : []),
  ];
}
