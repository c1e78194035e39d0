// The accesses of a server that Deno writes down (DENO_AUDIT_PERMISSIONS), and those
// among them that the walls refuse.
import { resolve } from "node:path";
import { maybe } from "../../errors.ts";
import { contains, parseRange } from "../../grants/addresses.ts";
import type { Denied, GuestGrants } from "../../grants/guest_grants.ts";
import { splitPort } from "../../grants/hosts.ts";
import { isWithin } from "../../grants/paths.ts";
import { denialRemedy } from "../../grants/policy_file/denial.ts";
import type { GuestPlaces } from "../../grants/policy_file/guest_places.ts";
import { realPathOf } from "../find_scope_paths.ts";

/** A kind of access that no policy grants. */
export interface Closed {
  kind: "run" | "ffi" | "sys" | "import";
  name: string;
}

const CLOSED = ["run", "ffi", "sys", "import"];

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
  if (CLOSED.includes(kind)) return { kind, name: value };
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
  /** Whether this program has a variable, which the policy does not grant. */
  hasVariable(name: string): boolean;
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
      return !places.hosts.some((host) => isHost(access.host, host)) ||
        places.deniedHosts.some((host) => isHost(access.host, host));
    case "env":
      return !Object.hasOwn(open.variables, access.name) &&
        open.hasVariable(access.name);
    default:
      return true;
  }
}

function isBelow(path: string, folders: readonly string[]): boolean {
  return [path, realPathOf(path)].some((one) =>
    folders.some((folder) => isWithin(one, folder, Deno.build))
  );
}

function isHost(wanted: string, host: string): boolean {
  const [{ name, port }, open] = [splitPort(wanted), splitPort(host)];
  if (open.port !== undefined && open.port !== port) return false;
  const [range, one] = [parseRange(open.name), parseRange(name)];
  if (range && one) return contains(range, one);
  return open.name === "*" || open.name === name ||
    open.name.startsWith("*.") && name.endsWith(open.name.slice(1));
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
        WORDS[access.kind]
      } ${access.name}: no policy grants it to a wrapped server.`;
  }
}

const WORDS = {
  run: "to start",
  ffi: "to load the library",
  sys: "to tell of this machine:",
  import: "to import from",
};
