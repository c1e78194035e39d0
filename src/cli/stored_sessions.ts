import { join } from "node:path";
import { ID } from "../environments/environment.ts";
import { EXIT, reasonOf, UserError } from "../errors.ts";
import { maybeOpenValue } from "../keeper/open_value.ts";
import { listFiles, type ValueFile } from "../keeper/room.ts";
import { fields } from "../protocol/fields.ts";
import { Damage } from "../keeper/value_file.ts";
import { toCount } from "./sizes.ts";

interface Fault {
  /** A sentence with the file's name. */
  text: string;
  /** Whether no version reads it. */
  isDamage: boolean;
}

/** The sessions of a store's folder. */
export interface StoredSessions {
  files: ValueFile[];
  /** Those that no server of this version reads. */
  faults: Fault[];
  /** How many there are of an environment, which alone can go on with them, by its id. */
  environments: Map<string, number>;
}

/**
 * Reads the heads of all stored sessions; undefined if there is not such a folder.
 *
 * @throws {UserError} If the folder cannot be read.
 */
export async function readStored(
  folder: string,
): Promise<StoredSessions | undefined> {
  const files = maybeListSessions(folder);
  if (!files) return undefined;
  const faults: Fault[] = [];
  const environments = new Map<string, number>();
  for (const { name } of files) {
    try {
      const id = await maybeEnvironment(join(folder, name));
      if (id !== undefined) {
        environments.set(id, (environments.get(id) ?? 0) + 1);
      }
    } catch (error) {
      const isDamage = error instanceof Damage;
      const fault = isDamage ? "is damaged" : "cannot be read";
      faults.push({ text: `${name} ${fault}: ${reasonOf(error)}`, isDamage });
    }
  }
  return { files, faults, environments };
}

/**
 * Tells why an environment must stay: sessions of this folder need it.
 *
 * @throws {UserError} If there is not such a folder, or another version wrote a
 * session, whose environment may be any.
 */
export async function needsOf(
  folder: string,
): Promise<(id: string) => string | undefined> {
  const stored = await readStored(folder);
  const refuse = (reason: string) =>
    new UserError(
      `Cannot tell which environments the sessions of --session-store ${folder} need: ${reason}`,
      EXIT.usage,
    );
  if (!stored) {
    throw refuse(
      "there is not such a folder. Name the folder that servers have, or leave the option out.",
    );
  }
  const { faults, environments } = stored;
  const unknown = faults.find(({ isDamage }) => !isDamage);
  if (unknown) {
    throw refuse(
      `${unknown.text}. Remove this file, use the version that wrote it, or leave the option out.`,
    );
  }
  return (id) => {
    const count = environments.get(id);
    if (count === undefined) return undefined;
    const needs = count === 1 ? "needs" : "need";
    return `${toCount(count, "stored session")} ${needs} it`;
  };
}

function maybeListSessions(folder: string): ValueFile[] | undefined {
  try {
    Deno.statSync(folder);
    return listFiles(folder).filter(({ space }) => space === "sessions");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new UserError(`${folder} cannot be read: ${reasonOf(error)}`);
  }
}

/** The environment that a stored session needs; undefined if the file has gone. */
async function maybeEnvironment(path: string): Promise<string | undefined> {
  using value = await maybeOpenValue(path, Infinity);
  if (!value) return undefined;
  const { environment } = fields(JSON.parse(value.head.metadata ?? "{}"));
  // It is shown, and looked for in the cache.
  if (typeof environment === "string" && ID.test(environment)) {
    return environment;
  }
  throw new TypeError("its facts are of another form");
}
