// The policy that a server's refusals ask for, as `readPolicy()` reads it.
import { dirname, parse } from "node:path";
import { maybe } from "../../errors.ts";
import type { Access, Denied, GuestGrants } from "../../grants/guest_grants.ts";
import { isWithin } from "../../grants/paths.ts";
import {
  toAccess,
  toEntry,
  toPathEntry,
  toUri,
} from "../../grants/policy_file/denial.ts";
import type { Closed } from "./denials.ts";

/** A path of a policy, and the reason that it stands there. */
interface Path {
  uri: string;
  access: readonly Access[];
  why: string;
}

/**
 * Writes a policy of grants, and of what was refused beside them; each line says what
 * asked for it.
 *
 * @param packages The folder of packages, which no server may change.
 */
export function toPolicyText(
  grants: GuestGrants,
  refused: readonly (Denied | Closed)[],
  packages: string,
): string {
  const toPath = (
    { host, access }: { host: string; access: Path["access"] },
  ) => ({ uri: toTreeUri(host), access, why: BEFORE });
  const toHost = (host: string) =>
    noted(toEntry({ kind: "net", host }), BEFORE);
  const paths: Path[] = grants.paths.map(toPath);
  const hosts = grants.hosts.map(toHost);
  const names = Object.keys(grants.variables)
    .map((name) => noted(toEntry({ kind: "env", name }), BEFORE));
  const left: string[] = [];
  for (const one of refused) {
    if (one.kind === "net") hosts.push(noted(toEntry(one), "it asked for it"));
    else if (one.kind === "env") names.push(noted(toEntry(one), "it read it"));
    else if ("path" in one) {
      const why = `it tried to ${one.kind} ${JSON.stringify(one.path)}`;
      const uri = maybeUri(one, packages);
      if (uri === undefined) left.push(why);
      else paths.push({ uri, access: toAccess(one.kind), why });
    } else left.push(`it asked for ${one.kind} ${JSON.stringify(one.name)}`);
  }
  const { deniedPaths, deniedHosts, limits } = grants;
  const granted =
    section("storage", toLines(paths), toLines(deniedPaths.map(toPath))) +
    section("network", hosts, deniedHosts.map(toHost)) +
    section("environment", names);
  return `version: "1.0"\npermissions:${granted || " {}"}` +
    (limits.memoryMiB ? `\nx-limits: { memory: ${limits.memoryMiB}Mi }` : "") +
    left.map((why) => `\n# Not in this policy, as none grants it: ${why}.`)
      .join("");
}

const BEFORE = "as before";

function noted(entry: string, why: string): string {
  return `${entry} # ${why}`;
}

/** A line for each path, with all access to it. */
function toLines(paths: readonly Path[]): string[] {
  return [...Map.groupBy(paths, ({ uri }) => uri)].map(([uri, same]) => {
    const access = new Set(same.flatMap(({ access }) => access));
    return noted(toPathEntry(uri, [...access]), same[0]!.why);
  });
}

function section(name: string, allow: string[], deny: string[] = []): string {
  return Object.entries({ allow, deny })
    .filter(([, lines]) => lines.length > 0)
    .map(([key, lines], index) =>
      (index === 0 ? `\n  ${name}:` : "") +
      [`\n    ${key}:`, ...lines].join("\n      - ")
    ).join("");
}

/** A path that is there: for a file to be made, the folder that is to hold it. */
function maybeUri(
  { kind, path }: { kind: Access; path: string },
  packages: string,
): string | undefined {
  if (isWithin(path, packages, Deno.build)) return undefined;
  const isThere = maybe(() => Deno.statSync(path)) !== undefined;
  const found = isThere ? path : dirname(path);
  const isGrantable = isThere || kind === "write" && isFolder(found);
  return isGrantable && parse(found).root !== found
    ? toTreeUri(found)
    : undefined;
}

function toTreeUri(path: string): string {
  return toUri(path) + (isFolder(path) ? "/**" : "");
}

function isFolder(path: string): boolean {
  return maybe(() => Deno.statSync(path).isDirectory) ?? false;
}
