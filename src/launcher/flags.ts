import {
  GRANTED,
  PERMISSION_KINDS,
  type Permissions,
  type Scope,
  type ScopePaths,
} from "../grants/permissions.ts";
import { toNetFlags } from "./net_flags.ts";

/**
 * Converts a row of the permission table to flags of `deno run`, in a stable order.
 * A kind that is not named gives no flag at all: a bare `--allow-net` would open
 * everything.
 *
 * @example A process that reads one folder
 * ```ts
 * import { toDenoFlags } from "./flags.ts";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * deepStrictEqual(
 *   toDenoFlags({ read: ["environment"] }, { environment: ["/c/e"] }),
 *   ["--no-prompt", "--allow-read=/c/e"],
 * );
 * ```
 *
 * @throws {RangeError} If a path has a comma.
 */
export function toDenoFlags(
  permissions: Permissions,
  places: Partial<ScopePaths> = {},
): string[] {
  const flags = ["--no-prompt"];
  for (const kind of PERMISSION_KINDS) {
    const scopes = permissions[kind] ?? [];
    if (scopes.length === 0) continue;
    if (scopes.includes("any")) flags.push(`--allow-${kind}`);
    else if (scopes.includes("hosts")) {
      flags.push(...toNetFlags(places.hosts ?? [], places));
    } else {
      const paths = scopes.flatMap((scope) => toPaths(scope, places, kind));
      if (scopes.every((scope) => isNowhere(scope, places))) continue;
      if (paths.length === 0) {
        throw new RangeError(`Cannot grant ${kind} as its place is not known`);
      }
      flags.push(`--allow-${kind}=${paths.join(",")}`);
    }
  }
  return flags;
}

/** Whether a scope is empty because the user has not granted it. */
export function isNowhere(scope: Scope, places: Partial<ScopePaths>): boolean {
  return scope !== "any" && GRANTED.includes(scope) &&
    (places[scope] ?? []).length === 0;
}

function toPaths(
  scope: Scope,
  places: Partial<ScopePaths>,
  kind: string,
): string[] {
  if (scope === "any") return [];
  return (places[scope] ?? []).map((path) => {
    // Deno 2.9 splits on every comma and has no escape for paths, so the one
    // path "/data/a,/etc" would also open "/etc".
    if (!path.includes(",")) return path;
    throw new RangeError(
      `Cannot grant ${kind} to "${path}" as a path must have no comma: choose another folder`,
    );
  });
}
