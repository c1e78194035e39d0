import type { Denied } from "../guest_grants.ts";

/** The lines of a policy that would grant what was refused. */
export function denialRemedy(denied: Denied): string {
  return `${toLine(denied)} would grant it`;
}

function toLine(denied: Denied): string {
  switch (denied.kind) {
    case "net":
      return `permissions.network.allow: [{ host: ${quoted(denied.host)} }]`;
    case "env":
      return `permissions.environment.allow: [{ key: ${quoted(denied.name)} }]`;
    case "read":
    case "write": {
      const access = denied.kind === "read" ? "[read]" : "[read, write]";
      const uri = quoted(`fs://${denied.path}`);
      return `permissions.storage.allow: [{ uri: ${uri}, access: ${access} }]`;
    }
  }
}

/** YAML reads texts of JSON. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
