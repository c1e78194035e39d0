import type { Denied } from "../../grants/guest_grants.ts";
import { hostOf } from "../../grants/refusal.ts";
import { nativeFetch } from "./doors.ts";

/**
 * The `fetch` that WASI's HTTP calls: Deno refuses each host that the worker has no
 * permission for, also one that a redirect or a name leads to.
 *
 * @param hasHosts Whether any host is granted.
 */
export function openFetch(
  hasHosts: boolean,
  onDenied: (denied: Denied) => void,
): typeof fetch {
  return async (input, init) => {
    const url = new URL(String(input));
    try {
      if (!hasHosts) throw new TypeError("access denied: no host is granted");
      return await nativeFetch(url, init);
    } catch (error) {
      const { name, message = "" } = Object(error);
      const [, host] = /net access to "([^"]{1,300})"/.exec(message) ?? [];
      if (!hasHosts || name === "NotCapable") {
        onDenied({ kind: "net", host: host ?? hostOf(url) });
      }
      throw error;
    }
  };
}
