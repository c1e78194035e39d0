// Reads the grants of a guest from a policy file; docs/policy.md has its form.
import { maybe, reasonOf, usageError } from "../../errors.ts";
import type { GuestGrants, GuestLimits } from "../guest_grants.ts";
import {
  parseDocument,
  type Path,
  type PolicyDocument,
  toKey,
} from "./document.ts";
import { maybeMemory, maybeTime } from "./measures.ts";
import { readHosts } from "./network.ts";
import { type PolicyPlace, type Reading, shown } from "./reading.ts";
import { readPaths } from "./storage.ts";

/** The grants of a policy, with sentences for what it asks for and does not get. */
export interface ReadPolicy {
  grants: GuestGrants;
  warnings: string[];
  description?: string;
}

/**
 * Reads the policy of a guest.
 *
 * @param file Absolute.
 * @throws {UserError} If it cannot be read, or is not a policy.
 */
export function readPolicyFile(
  file: string,
  { env, readTextFile, ...rest }: Pick<PolicyPlace, "os" | "toGuest"> & {
    env: Readonly<Record<string, string | undefined>>;
    readTextFile(path: string): string;
  },
): ReadPolicy {
  let text: string;
  try {
    text = readTextFile(file);
  } catch (error) {
    throw usageError(
      `Cannot read the policy "${file}": ${
        reasonOf(error)
      }. Name a YAML file, as docs/policy.md describes it.`,
    );
  }
  return readPolicy(text, {
    ...{ ...rest, file },
    isFolder: (path) => maybe(() => Deno.statSync(path).isDirectory) ?? false,
    realPath: (path) => maybe(() => Deno.realPathSync(path)),
    variable: (name) => env[name],
  });
}

/**
 * Reads a policy: what it does not grant stays closed, and denials beat grants.
 *
 * @throws {UserError} If it is not a policy, or grants what cannot be granted. The
 *   message names file, line, key, value and remedy.
 */
export function readPolicy(text: string, place: PolicyPlace): ReadPolicy {
  const { document, fault } = parseDocument(text, place.file);
  const warnings: string[] = [];
  const reading: Reading = {
    ...{ place, fault },
    warn: (path, reason) =>
      warnings.push(`The policy "${place.file}": ${toKey(path)} ${reason}.`),
  };
  const { version, description, permissions } = document;
  if (!/^1(\.\d+)?$/.test(`${version}`)) {
    throw fault(["version"], `must be "1.0", and not ${shown(version)}`);
  }
  const { storage, network, environment } = permissions ?? {};
  const instance = document["x-instance"];
  const grants: GuestGrants = {
    ...readHosts(network ?? {}, reading),
    ...readPaths(storage ?? {}, reading),
    variables: readVariables(environment?.allow ?? [], reading),
    limits: readLimits(document, reading),
    ...(instance ? { instance } : {}),
  };
  for (const key of ["runtime", "ipc"] as const) {
    if (permissions?.[key] === undefined) continue;
    reading.warn(
      ["permissions", key],
      "is of other programs, and grants nothing",
    );
  }
  return { grants, warnings, ...(description ? { description } : {}) };
}

const NAME = /^[A-Za-z_]\w*$/;

function readVariables(
  entries: readonly { key: string }[],
  { place, fault, warn }: Reading,
): GuestGrants["variables"] {
  const found: [string, string][] = [];
  for (const [index, { key }] of entries.entries()) {
    const path = ["permissions", "environment", "allow", index, "key"];
    if (!NAME.test(key)) {
      throw fault(
        path,
        `must be the name of one variable, of letters, digits and _, and not ${
          shown(key)
        }`,
      );
    }
    const value = place.variable(key);
    if (value === undefined) {
      warn(path, `${shown(key)} is not a variable of this program: set it`);
    } else found.push([key, value]);
  }
  return Object.fromEntries(found);
}

function readLimits(document: PolicyDocument, reading: Reading): GuestLimits {
  const { limits, ...older } = document.permissions?.resources ?? {};
  const { timeout, memory, output } = document["x-limits"] ?? {};
  const above = ["permissions", "resources"];
  for (const key of Object.keys(older)) {
    reading.warn([...above, key], "is not read: write it below limits");
  }
  if (limits?.cpu !== null && limits?.cpu !== undefined) {
    reading.warn(
      [...above, "limits", "cpu"],
      "is not enforced, as no guest has a share of a core of its own: bound its time with x-limits.timeout",
    );
  }
  const memories = [
    read(maybeMemory, limits?.memory, [...above, "limits", "memory"], MEMORY),
    read(maybeMemory, memory, ["x-limits", "memory"], MEMORY),
  ].filter((one) => one !== undefined);
  const timeoutMs = read(maybeTime, timeout, ["x-limits", "timeout"], TIME);
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(memories.length === 0 ? {} : { memoryMiB: Math.min(...memories) }),
    ...(output === null || output === undefined ? {} : { maxOutput: output }),
  };

  function read(
    parse: (value: string | number) => number | undefined,
    value: string | number | null | undefined,
    path: Path,
    wants: string,
  ): number | undefined {
    if (value === null || value === undefined) return undefined;
    const found = parse(value);
    if (found !== undefined) return found;
    throw reading.fault(path, `must be ${wants}, and not ${shown(value)}`);
  }
}

const MEMORY = "a size from 1Mi to 4Gi, such as 512Mi";
const TIME = "a time such as 500ms, 30s or 2m, of at most a day";
