import {
  PERMISSION_KINDS,
  type PermissionKind,
  PERMISSIONS,
} from "../grants/permissions.ts";

/**
 * Gives up every permission that the row of this process in the table does not name, but
 * for those that this process keeps for other work.
 */
export async function dropPermissions(
  kept: readonly PermissionKind[],
): Promise<void> {
  for (const name of PERMISSION_KINDS) {
    if (PERMISSIONS.launcher[name] || kept.includes(name)) continue;
    await Deno.permissions.revoke({ name });
  }
}
