import { UserError } from "../../../errors.ts";
import type { HttpEntry, ServerEntry } from "../../../protocol/downstream.ts";
import { refuseSse, toHttp } from "../client_formats/entry.ts";
import type { Written } from "../client_formats/judge.ts";
import { toHostPort } from "../../find_scope_paths.ts";

/** The address of this program's own server. */
export interface Listens {
  host: string;
  port: number;
  names?: readonly string[];
}

export const HTTP: Written = {
  types: ["http", "streamable-http", "streamablehttp", "streamable_http"],
  read({ url, headers }, { fill, isTyped }) {
    if (url === undefined) return undefined;
    // Servers of this ending that have no other transport are many.
    if (!isTyped && /\/sse\/?(\?.*)?$/.test(String(url))) refuseSse();
    return toHttp({ url, headers }, fill);
  },
};

/** A server that is reached by streamable HTTP, as the launcher treats it. */
export function ofHttp(entry: ServerEntry & HttpEntry) {
  const { url, headers } = entry;
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return {
    shown: () => toShown(url),
    starts: () => ({ url: toShown(url), headers: [...names] }),
    cwd: undefined,
    identity: [url, names.sort()],
    secrets: { kind: "headers", values: headers } as const,
    isOwn: ({ listens }: { listens?: Listens }) => isOwnAddress(url, listens),
    takes: () => [],
    withoutFolders: () => entry,
    place: () => toHost(entry),
  };
}

/** User, query and whatever of a path may be a key are left out. */
function toShown(url: string): string {
  const { origin, pathname } = new URL(url);
  const path = pathname.split("/").map((part) =>
    part === "" || /^[a-z][a-z_-]{0,19}$|^v\d+$/i.test(part) ? part : "…"
  );
  return origin + path.join("/");
}

/** @throws {UserError} If the address cannot be used. */
function toHost(entry: ServerEntry & HttpEntry) {
  const url = URL.parse(entry.url);
  if (!url || !["http:", "https:"].includes(url.protocol)) {
    throw new UserError(
      `Cannot reach the server "${entry.name}": its url must begin with http:// or https://.`,
    );
  }
  return { entry, places: { serverHost: [toHostPort(url)] } };
}

const THIS_MACHINE = /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/;

function isOwnAddress(url: string, listens: Listens | undefined): boolean {
  const { hostname, port, protocol } = new URL(url);
  if (!listens) return false;
  const host = listens.host.includes(":")
    ? `[${listens.host}]`
    : listens.host.toLowerCase();
  // A proxy answers for these names, at a port of its own.
  if (listens.names?.includes(hostname)) return true;
  const isSameHost = hostname === host ||
    THIS_MACHINE.test(hostname) && THIS_MACHINE.test(host);
  const usual = protocol === "https:" ? 443 : 80;
  return isSameHost && Number(port || usual) === listens.port;
}
