import { log } from "../../src/log.ts";

/**
 * Gives the words that start a program as another user, if this user may do that.
 *
 * @param user Numbers of user and group: `65534:65534`.
 */
export function otherUser(user: string): string[] {
  if (Deno.uid() !== 0) {
    log("skipped: another user: these tests are not run by root");
    return [];
  }
  const [uid = "", gid = ""] = user.split(":");
  return [
    ...["setpriv", "--reuid", uid, "--regid", gid, "--clear-groups"],
    ...["--no-new-privs", "--bounding-set", "-all", "--inh-caps", "-all"],
  ];
}
