// The policy that a server's refusals ask for, as `readPolicy()` reads it.
import { dirname, parse } from "node:path";
import { maybe } from "../../errors.ts";
import type { Access, Denied, GuestGrants } from "../../grants/guest_grants.ts";
import { isWithin } from "../../grants/is_within.ts";
import type { Closed } from "./denials.ts";

/** A line of a list, with the reason that it stands there. */
interface Line {
  text: string;
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
  const storage = new Map<string, { access: Set<Access>; why: string }>();
  const left: string[] = [];
  const add = (uri: string, access: readonly Access[], why: string) => {
    const line = storage.get(uri) ?? { access: new Set(), why };
    access.forEach((one) => line.access.add(one));
    storage.set(uri, line);
  };
  for (const { host, isFile, access } of grants.paths) {
    add(toUri(host, isFile), access, "granted before");
  }
  for (const one of refused) {
    if (one.kind !== "read" && one.kind !== "write") continue;
    const why = `it tried to ${one.kind} ${JSON.stringify(one.path)}`;
    const uri = isWithin(one.path, packages, Deno.build)
      ? undefined
      : maybeUri(one);
    if (uri === undefined) left.push(why);
    else add(uri, one.kind === "read" ? ["read"] : ["read", "write"], why);
  }
  for (const one of refused) {
    if (!("name" in one) || one.kind === "env") continue;
    left.push(`it asked for ${one.kind} ${JSON.stringify(one.name)}`);
  }
  const access = (all: Iterable<Access>) => `access: [${[...all].join(", ")}]`;
  const quoted = JSON.stringify;
  return [
    'version: "1.0"',
    "permissions:",
    ...section("storage", [
      [
        "allow",
        [...storage].map(([uri, { access: all, why }]) => ({
          text: `{ uri: ${quoted(uri)}, ${access(all)} }`,
          why,
        })),
      ],
      [
        "deny",
        deniedPaths.map(({ host, access: all }) => ({
          text: `{ uri: ${quoted(toUri(host, isFile(host)))}, ${access(all)} }`,
          why: "denied before",
        })),
      ],
    ]),
    ...section("network", [
      ["allow", [
        ...grants.hosts.map((host) => toHost(host, "granted before")),
        ...refused.flatMap((one) =>
          one.kind === "net" ? [toHost(one.host, "it tried to reach it")] : []
        ),
      ]],
      ["deny", deniedHosts.map((host) => toHost(host, "denied before"))],
    ]),
    ...section("environment", [
      [
        "allow",
        [
          ...Object.keys(grants.variables)
            .map((name) => ({ name, why: "granted before" })),
          ...refused.flatMap((one) =>
            one.kind === "env" ? [{ name: one.name, why: "it read it" }] : []
          ),
        ].map(({ name, why }) => ({ text: `{ key: ${quoted(name)} }`, why })),
      ],
    ]),
    ...(limits.memoryMiB === undefined
      ? []
      : ["x-limits:", `  memory: ${limits.memoryMiB}Mi`]),
    ...left.map((why) => `# Not in this policy, as none grants it: ${why}.`),
  ].join("\n").replace(/^permissions:$(?!\n  )/m, "permissions: {}");
}

/** A list of YAML below its key; nothing if all lists are empty. */
function section(name: string, lists: [string, Line[]][]): string[] {
  const full = lists.filter(([, lines]) => lines.length > 0);
  if (full.length === 0) return [];
  return [
    `  ${name}:`,
    ...full.flatMap(([key, lines]) => [
      `    ${key}:`,
      ...lines.map(({ text, why }) => `      - ${text} # ${why}`),
    ]),
  ];
}

function toHost(host: string, why: string): Line {
  const key = host.includes("/") ? "cidr" : "host";
  return { text: `{ ${key}: ${JSON.stringify(host)} }`, why };
}

/** A path that is there: of a file to be made, the folder that is to hold it. */
function maybeUri({ kind, path }: Denied & { path: string }) {
  const info = maybe(() => Deno.statSync(path));
  if (info) return isRoot(path) ? undefined : toUri(path, info.isFile);
  const folder = dirname(path);
  if (kind === "read" || isRoot(folder)) return undefined;
  return maybe(() => Deno.statSync(folder).isDirectory)
    ? toUri(folder, false)
    : undefined;
}

function isRoot(path: string): boolean {
  return parse(path).root === path;
}

function isFile(path: string): boolean {
  return maybe(() => Deno.statSync(path).isFile) ?? false;
}

function toUri(path: string, isFile: boolean | undefined): string {
  const slashed = path.replaceAll("\\", "/");
  return `fs://${slashed.startsWith("/") ? "" : "/"}${slashed}${
    isFile ? "" : "/**"
  }`;
}
