// The files and folders of a policy.
import type { GuestGrants, PathDenial, PathGrant } from "../guest_grants.ts";
import { isDenied, isGuestPath } from "../mounts.ts";
import { isWithin, pathRules, realPathOf } from "../paths.ts";
import type { Path, PolicyDocument } from "./document.ts";
import { toUri } from "./denial.ts";
import { type Reading, shown } from "./reading.ts";

type Storage = NonNullable<
  NonNullable<PolicyDocument["permissions"]>["storage"]
>;

/** Reads the paths that a policy grants, and those that it denies. */
export function readPaths(
  { allow, deny }: Storage,
  reading: Reading,
): Pick<GuestGrants, "paths" | "deniedPaths"> {
  const above = ["permissions", "storage"];
  const deniedPaths = [...deny?.entries() ?? []]
    .map(([index, { uri, access }]) => {
      const path = [...above, "deny", index, "uri"];
      const { host, isThere } = readUri(uri, path, reading);
      const kind = reading.place.isFolder(host) ? "folder" : "file";
      return {
        ...{ host, access: unique(access) },
        ...(isThere ? { kind } : {}),
      } satisfies PathDenial;
    });
  const paths: PathGrant[] = [];
  for (const [index, entry] of allow?.entries() ?? []) {
    const path = [...above, "allow", index];
    const grant = readGrant(entry, path, reading);
    const left = grant.access
      .filter((access) =>
        !isDenied(grant.host, access, deniedPaths, reading.place)
      );
    if (left.includes("write")) refuseOwnPolicy(grant.host, path, reading);
    if (left.length > 0) paths.push({ ...grant, access: left });
  }
  return { paths: joined(paths), deniedPaths };
}

function readGrant(
  entry: NonNullable<Storage["allow"]>[number],
  path: Path,
  reading: Reading,
): PathGrant {
  const { place, fault } = reading;
  const { host, isTree, isThere, refuse } = readUri(
    entry.uri,
    [...path, "uri"],
    reading,
  );
  if (!isThere) {
    throw refuse(`does not exist: make "${host}", or name another path`);
  }
  if (pathRules(place).parse(host).root === host) {
    throw refuse("is all of this machine: name a folder");
  }
  const isFile = !place.isFolder(host);
  if (isFile && isTree) throw refuse("is a file: leave out /**");
  const mount = entry["x-mount"];
  if (mount !== undefined && !isGuestPath(mount)) {
    throw fault(
      [...path, "x-mount"],
      `must be an absolute path such as /data, and not ${shown(mount)}`,
    );
  }
  const guest = mount ?? place.toGuest?.(host) ?? host;
  const access = unique(entry.access);
  return { host, guest, access, ...(isFile ? { isFile } : {}) };
}

/** A guest that writes its policy has what it wants at its next start. */
function refuseOwnPolicy(
  host: string,
  path: Path,
  { place, fault }: Reading,
): void {
  if (!isWithin(place.realPath(place.file) ?? place.file, host, place)) return;
  throw fault(
    path,
    `lets its guest write this policy, which is in "${host}": keep the policy in another folder, or leave out write`,
  );
}

/** The path of a URI, without symbolic links. */
function readUri(uri: string, path: Path, { place, fault }: Reading) {
  const rules = pathRules(place);
  const refuse = (reason: string) => fault(path, `${shown(uri)} ${reason}`);
  const [, text] = /^fs:\/\/(.+)$/s.exec(uri) ?? [];
  if (text === undefined) {
    throw refuse("must be a URI such as fs:///data/** or fs://data/file.csv");
  }
  const isTree = /(^|\/)\*\*$/.test(text);
  const plain = text.replace(/(?<=^|\/)\*\*$/, "").replace(/(?<=.)\/$/, "");
  // "/C:/data" is a path of Windows.
  const named = place.os === "windows"
    ? plain.replace(/^\/(?=[a-z]:)/i, "")
    : plain;
  if (/[*?[\]]/.test(named)) {
    throw refuse(
      "must not have a pattern but /** at its end: name the folder, or each file",
    );
  }
  const folder = rules.dirname(place.file);
  const whole = rules.resolve(folder, named);
  const host = realPathOf(whole, place);
  if (/[,\0]/.test(host)) {
    throw refuse(
      `leads to "${host}", which has a comma, by which Deno would take it for two: choose another path`,
    );
  }
  // A link in the folder leads anywhere, as an absolute path does.
  const isBelow = isWithin(host, realPathOf(folder, place), place);
  if (!rules.isAbsolute(named) && !isBelow) {
    throw refuse(
      `leaves the folder of the policy: write it absolute, ${toUri(host)}`,
    );
  }
  const isThere = place.realPath(whole) !== undefined;
  return { host, isTree, isThere, refuse };
}

/** A path that is named twice has both entries' access. */
function joined(paths: readonly PathGrant[]): PathGrant[] {
  const found = new Map<string, PathGrant>();
  for (const grant of paths) {
    const key = JSON.stringify([grant.host, grant.guest]);
    const access = [...found.get(key)?.access ?? [], ...grant.access];
    found.set(key, { ...grant, access: unique(access) });
  }
  return [...found.values()];
}

function unique<V>(list: readonly V[]): V[] {
  return [...new Set(list)];
}
