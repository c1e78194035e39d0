import { PERMISSION_KINDS, PERMISSIONS } from "../grants/permissions.ts";

/** Gives up every permission that the broker's row of the table does not name. */
export async function dropPermissions(): Promise<void> {
  for (const name of PERMISSION_KINDS) {
    if (!PERMISSIONS.broker[name]) await Deno.permissions.revoke({ name });
  }
}
