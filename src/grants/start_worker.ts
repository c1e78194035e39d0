import {
  PERMISSION_KINDS,
  PERMISSIONS,
  type Permissions,
} from "./permissions.ts";
import type { ScopePaths } from "./scope_paths.ts";

/**
 * Starts a worker with the permissions of its row in the table.
 *
 * @param address The module that the worker runs.
 * @param places Folders and hosts of its permissions; the worker has no
 * permission without them.
 */
export function startWorker(
  address: URL,
  places: Partial<ScopePaths> = {},
): Worker {
  const permissions = toWorkerPermissions(PERMISSIONS.worker, places);
  return new Worker(address, { type: "module", deno: { permissions } });
}

/**
 * Converts a row of the permission table to the option of Deno's workers. It
 * names each kind, so that a worker inherits no permission of its process.
 */
export function toWorkerPermissions(
  permissions: Permissions,
  places: Partial<ScopePaths>,
): Deno.PermissionOptionsObject {
  return Object.fromEntries(PERMISSION_KINDS.map((kind) => {
    const scopes = permissions[kind] ?? [];
    const paths = scopes.flatMap((scope) =>
      scope === "any" ? [] : places[scope] ?? []
    );
    return [kind, scopes.includes("any") || paths.length > 0 && paths];
  }));
}
