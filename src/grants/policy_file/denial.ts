// Lines of a policy, in YAML, which reads texts of JSON.
import type { Access, Denied } from "../guest_grants.ts";

/** The line of a policy that would grant what was refused. */
export function denialRemedy(denied: Denied): string {
  return `permissions.${toList(denied)}.allow: [${
    toEntry(denied)
  }] would grant it`;
}

function toList({ kind }: Denied): string {
  if (kind === "net") return "network";
  return kind === "env" ? "environment" : "storage";
}

/** The entry of a policy for a path, a host or a variable. */
export function toEntry(denied: Denied): string {
  switch (denied.kind) {
    case "net":
      return `{ ${denied.host.includes("/") ? "cidr" : "host"}: ${
        quoted(denied.host)
      } }`;
    case "env":
      return `{ key: ${quoted(denied.name)} }`;
    default:
      return toPathEntry(toUri(denied.path), toAccess(denied.kind));
  }
}

export function toPathEntry(uri: string, access: readonly Access[]): string {
  return `{ uri: ${quoted(uri)}, access: [${access.join(", ")}] }`;
}

/** A guest that writes to a path needs to read it as well. */
export function toAccess(kind: Access): readonly Access[] {
  return kind === "read" ? ["read"] : ["read", "write"];
}

/** The URI of an absolute path. */
export function toUri(path: string): string {
  return `fs://${path.replaceAll("\\", "/").replace(/^(?!\/)/, "/")}`;
}

const quoted = (text: string) => JSON.stringify(text);
