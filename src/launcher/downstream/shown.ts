import type { ServerEntry } from "../../protocol/downstream.ts";

/**
 * The address or program of a server without its secrets: arguments are left
 * out, and so are user, query and whatever of a path may be a key.
 */
export function toShown(entry: ServerEntry): string {
  if (entry.transport === "stdio") return entry.command;
  const { origin, pathname } = new URL(entry.url);
  const path = pathname.split("/").map((part) =>
    part === "" || /^[a-z][a-z_-]{0,19}$|^v\d+$/i.test(part) ? part : "…"
  );
  return origin + path.join("/");
}
