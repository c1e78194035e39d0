import {
  PERMISSION_KINDS,
  PERMISSIONS,
  type Permissions,
  type ScopePaths,
} from "./permissions.ts";

/** A worker with the permissions of its row in the table; it has none without places. */
export function startWorker(
  address: URL,
  places: ScopePaths = {},
): Worker {
  const permissions = toWorkerPermissions(PERMISSIONS.worker, places);
  return new Worker(address, { type: "module", deno: { permissions } });
}

/** Names each kind, so that a worker inherits no permission of its process. */
export function toWorkerPermissions(
  permissions: Permissions,
  places: ScopePaths,
): Deno.PermissionOptionsObject {
  return Object.fromEntries(PERMISSION_KINDS.map((kind) => {
    const scopes = permissions[kind] ?? [];
    const paths = scopes.flatMap((scope) =>
      scope === "any" ? [] : places[scope] ?? []
    );
    return [kind, scopes.includes("any") || paths.length > 0 && paths];
  }));
}
