// The accesses of a server that Deno writes down (DENO_AUDIT_PERMISSIONS), and those
// among them that the walls refuse.
import { resolve } from "node:path";
import { maybe } from "../../errors.ts";
import { isAmong } from "../../grants/denied_hosts.ts";
import type { Denied, GuestGrants } from "../../grants/guest_grants.ts";
import { isWithin, isWithinAny } from "../../grants/paths.ts";
import { denialRemedy } from "../../grants/policy_file/denial.ts";
import type { GuestPlaces } from "../../grants/policy_file/guest_places.ts";
import { realPathOf } from "../find_scope_paths.ts";

/** Kinds of access that no policy grants. */
const CLOSED = {
  run: "to start",
  ffi: "to load the library",
  sys: "to tell of this machine:",
  import: "to import from",
};

export interface Closed {
  kind: keyof typeof CLOSED;
  name: string;
}

/** Reads a line of the audit: an access, granted or not; undefined if it tells of none. */
export function maybeAccess(
  line: string,
  cwd: string,
): Denied | Closed | undefined {
  const { permission: kind, value } = Object(maybe(() => JSON.parse(line)));
  if (typeof value !== "string" || value.length > 4096) return undefined;
  if (kind === "read" || kind === "write") {
    return { kind, path: resolve(cwd, value) };
  }
  if (kind === "env") return { kind, name: value };
  if (Object.hasOwn(CLOSED, kind)) return { kind, name: value };
  // Deno names a host twice, first as a URL.
  return kind === "net" && !value.includes("://")
    ? { kind, host: value }
    : undefined;
}

/** What a server may use, and finds here. */
export interface Open extends Pick<GuestGrants, "variables"> {
  places: GuestPlaces;
  /** Its own files. */
  own: readonly string[];
  /** Deno's folder of npm packages. */
  packages: string;
}

/** Whether the walls refuse an access. A variable that is not set is not refused. */
export function isRefused(access: Denied | Closed, open: Open): boolean {
  const { places } = open;
  switch (access.kind) {
    case "read":
      return !isBelow(access.path, [...places.mounts, ...open.own]) ||
        isBelow(access.path, places.deniedReads);
    case "write":
      return !isBelow(access.path, places.writableMounts) ||
        isBelow(access.path, places.deniedWrites);
    case "net":
      return !isAmong(access.host, places.hosts) ||
        isAmong(access.host, places.deniedHosts);
    case "env":
      return !Object.hasOwn(open.variables, access.name) &&
        Deno.env.has(access.name);
    default:
      return true;
  }
}

function isBelow(path: string, folders: readonly string[]): boolean {
  return [path, realPathOf(path)].some((one) => isWithinAny(one, folders));
}

/** The sentence for the user. */
export function toSentence(
  access: Denied | Closed,
  { packages }: Pick<Open, "packages">,
): string {
  if ("path" in access && isWithin(access.path, packages, Deno.build)) {
    return `Refused to ${access.kind} ${access.path}, which is among Deno's packages: no policy grants it. Have the server use another path, by its arguments or variables.`;
  }
  switch (access.kind) {
    case "read":
    case "write":
      return `Refused to ${access.kind} ${access.path}: ${
        denialRemedy(access)
      }.`;
    case "net":
      return `Refused to reach ${access.host}: ${
        denialRemedy(access)
      }, unless it is denied, or leads to a closed address.`;
    case "env":
      return `Hid the variable ${access.name}: ${denialRemedy(access)}.`;
    default:
      return `Refused ${
        CLOSED[access.kind]
      } ${access.name}: no policy grants it to a wrapped server.`;
  }
}
