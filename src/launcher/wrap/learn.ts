// The policy that a server's refusals ask for, as `readPolicy()` reads it.
import { dirname, parse } from "node:path";
import { maybe } from "../../errors.ts";
import type { Access, Denied, GuestGrants } from "../../grants/guest_grants.ts";
import { isWithin } from "../../grants/paths.ts";
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
  const { deniedPaths, deniedHosts, limits } = grants;
  const paths: Path[] = grants.paths.map(({ host, isFile, access }) => {
    return { uri: toUri(host, isFile), access, why: BEFORE };
  });
  const hosts = grants.hosts.map((host) => toHost(host, BEFORE));
  const names = Object.keys(grants.variables)
    .map((name) => toName(name, BEFORE));
  const left: string[] = [];
  for (const one of refused) {
    if (one.kind === "net") hosts.push(toHost(one.host, "it asked for it"));
    else if (one.kind === "env") names.push(toName(one.name, "it read it"));
    else if ("path" in one) {
      const { kind, path } = one;
      const why = `it tried to ${kind} ${quoted(path)}`;
      const uri = isWithin(path, packages, Deno.build)
        ? undefined
        : maybeUri(one);
      const access: Access[] = kind === "read" ? ["read"] : ["read", "write"];
      if (uri === undefined) left.push(why);
      else paths.push({ uri, access, why });
    } else left.push(`it asked for ${one.kind} ${quoted(one.name)}`);
  }
  const denials = deniedPaths.map(({ host, access }) =>
    toPath({ uri: toUri(host, isFile(host)), access, why: "denied before" })
  );
  const granted = section("storage", joined(paths).map(toPath), denials) +
    section("network", hosts, deniedHosts.map((one) => toHost(one, BEFORE))) +
    section("environment", names);
  return `version: "1.0"\npermissions:${granted || " {}"}` +
    (limits.memoryMiB ? `\nx-limits: { memory: ${limits.memoryMiB}Mi }` : "") +
    left.map((why) => `\n# Not in this policy, as none grants it: ${why}.`)
      .join("");
}

const BEFORE = "as before";

function joined(paths: readonly Path[]): Path[] {
  return [...Map.groupBy(paths, ({ uri }) => uri)].map(([uri, same]) => ({
    uri,
    access: [...new Set(same.flatMap(({ access }) => access))],
    why: same[0]!.why,
  }));
}

function section(name: string, allow: string[], deny: string[] = []): string {
  const lists = Object.entries({ allow, deny })
    .filter(([, lines]) => lines.length > 0);
  if (lists.length === 0) return "";
  return [
    `\n  ${name}:`,
    ...lists.flatMap(([key, lines]) => [
      `    ${key}:`,
      ...lines.map((line) => `      - ${line}`),
    ]),
  ].join("\n");
}

function toPath({ uri, access, why }: Path): string {
  return `{ uri: ${quoted(uri)}, access: [${access.join(", ")}] } # ${why}`;
}

function toHost(host: string, why: string): string {
  return `{ ${host.includes("/") ? "cidr" : "host"}: ${
    quoted(host)
  } } # ${why}`;
}

function toName(name: string, why: string): string {
  return `{ key: ${quoted(name)} } # ${why}`;
}

/** A path that is there: for a file to be made, the folder that is to hold it. */
function maybeUri({ kind, path }: { kind: Access; path: string }) {
  const isThere = maybe(() => Deno.statSync(path)) !== undefined;
  if (!isThere && kind === "read") return undefined;
  const found = isThere ? path : dirname(path);
  const isFolder = maybe(() => Deno.statSync(found).isDirectory) ?? false;
  if (parse(found).root === found || !isThere && !isFolder) return undefined;
  return toUri(found, !isFolder);
}

function isFile(path: string): boolean {
  return maybe(() => Deno.statSync(path).isFile) ?? false;
}

function toUri(path: string, isFile: boolean | undefined): string {
  const slashed = path.replaceAll("\\", "/").replace(/^(?!\/)/, "/");
  return `fs://${slashed}${isFile ? "" : "/**"}`;
}

const quoted = (text: string) => JSON.stringify(text);
