import type { Denied } from "../../grants/guest_grants.ts";
import { namedIpv6 } from "../../grants/hosts.ts";
import { hostOf } from "../../grants/refusal.ts";
import { byIpv4, nativeFetch } from "./doors.ts";

// The component may set the names of the global scope.
const { URL, TypeError, String, Object } = globalThis;

/**
 * The `fetch` that WASI's HTTP calls. Deno refuses each host that the worker has no
 * permission for, and each closed address that a name leads to. It has no flag for
 * ranges of IPv6: so names are reached by IPv4 only, and by IPv6 the addresses that
 * are listed themselves. As WASI has it, a redirect is a response: a component that
 * follows it sends a request of its own.
 */
export function openFetch(
  hosts: readonly string[],
  onDenied: (denied: Denied) => void,
): typeof fetch {
  const ipv6 = namedIpv6(hosts);
  return async (input, init) => {
    const url = new URL(String(input));
    const client = ipv6.includes(url.hostname) ? {} : { client: byIpv4 };
    try {
      // Other schemes are not the network.
      if (!/^https?:$/.test(url.protocol)) {
        throw new TypeError("only http and https are known");
      }
      if (hosts.length === 0) throw new TypeError("no host is granted");
      return await nativeFetch(url, {
        ...init,
        ...client,
        redirect: "manual",
      });
    } catch (error) {
      const { message = "", cause } = Object(error);
      const words = `${message} ${Object(cause).message ?? ""}`;
      const [, host] = /net access to "([^"]{1,300})"/.exec(words) ?? [];
      const isDenied = host !== undefined || hosts.length === 0;
      if (isDenied) onDenied({ kind: "net", host: host ?? hostOf(url) });
      throw new TypeError(
        isDenied ? `no network access to "${hostOf(url)}"` : words.trim(),
      );
    }
  };
}
