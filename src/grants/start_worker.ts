import { isWithin } from "./paths.ts";
import {
  CUTS,
  PERMISSION_KINDS,
  PERMISSIONS,
  type Permissions,
  type ScopePaths,
} from "./permissions.ts";

/** A worker with the permissions of its row in the table; it has none without places. */
export function startWorker(
  address: URL,
  places: ScopePaths = {},
  row: "worker" | "componentWorker" = "worker",
): Worker {
  const permissions = toWorkerPermissions(PERMISSIONS[row], places);
  return new Worker(address, { type: "module", deno: { permissions } });
}

/**
 * Names each kind, so that a worker inherits no permission of its process, but for a
 * kind with denials: Deno gives a worker no list that is cut, but its process's own.
 * Of that, the worker gives up what is not the guest's: see `toOwnReads()`.
 */
export function toWorkerPermissions(
  permissions: Permissions,
  places: ScopePaths,
): Deno.PermissionOptionsObject {
  return Object.fromEntries(PERMISSION_KINDS.map((kind) => {
    const scopes = permissions[kind] ?? [];
    const paths = scopes.flatMap((scope) =>
      scope === "any" ? [] : places[scope] ?? []
    );
    const isCut = scopes.some((scope) => {
      const cut = CUTS[scope];
      return cut !== undefined && (places[cut] ?? []).length > 0;
    });
    // Its process reaches the same hosts, and closes addresses within them.
    if (isCut || kind === "net" && paths.length > 0) return [kind, "inherit"];
    return [kind, scopes.includes("any") || paths.length > 0 && paths];
  }));
}

/**
 * The paths that a worker with inherited reads gives up before its guest's code runs;
 * none without denials. One within a folder of the guest stays, as Deno would give up
 * that folder with it.
 */
export function toOwnReads(
  places: ScopePaths,
  system: { os: string } = Deno.build,
): string[] {
  const { mounts = [], deniedReads = [] } = places;
  if (deniedReads.length === 0) return [];
  const { environment = [], runtime = [], program = [] } = places;
  const { component = [], slot = [] } = places;
  return [...environment, ...runtime, ...program, ...component, ...slot]
    .filter((path) => !mounts.some((folder) => isWithin(path, folder, system)));
}
