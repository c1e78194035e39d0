// The files and folders of a policy.
import { posix, win32 } from "node:path";
import type { GuestGrants, PathDenial, PathGrant } from "../guest_grants.ts";
import { isWithin } from "../is_within.ts";
import type { Path, PolicyDocument } from "./document.ts";
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
      .filter((access) => !isDenied(grant.host, access, deniedPaths, reading));
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
  const at = [...path, "uri"];
  const { host, isTree, isThere } = readUri(entry.uri, at, reading);
  if (!isThere) {
    throw fault(
      at,
      `${
        shown(entry.uri)
      } does not exist: make "${host}", or name another path`,
    );
  }
  if (rulesOf(reading).parse(host).root === host) {
    throw fault(
      at,
      `${shown(entry.uri)} is all of this machine: name a folder`,
    );
  }
  const isFile = !place.isFolder(host);
  if (isFile && isTree) {
    throw fault(at, `${shown(entry.uri)} is a file: leave out /**`);
  }
  const guest = entry["x-mount"] ?? place.toGuest?.(host) ?? host;
  if (entry["x-mount"] !== undefined && !isGuestPath(guest)) {
    throw fault(
      [...path, "x-mount"],
      `must be an absolute path such as /data, and not ${shown(guest)}`,
    );
  }
  const access = unique(entry.access);
  return { host, guest, access, ...(isFile ? { isFile } : {}) };
}

function isGuestPath(path: string): boolean {
  const names = path.split("/").slice(1);
  return path.startsWith("/") && path.length <= 200 && !/[\\\0:,]/.test(path) &&
    names.every((name) => !["", ".", ".."].includes(name));
}

/** The path of a URI, without symbolic links. */
function readUri(uri: string, path: Path, reading: Reading) {
  const { place, fault } = reading;
  const rules = rulesOf(reading);
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
  if (/[,\0]/.test(named)) {
    throw refuse(
      "must not have a comma, by which Deno would take it for two: choose another path",
    );
  }
  const folder = rules.dirname(place.file);
  const whole = rules.resolve(folder, named);
  if (!rules.isAbsolute(named) && !isWithin(whole, folder, place)) {
    throw refuse(
      `leaves the folder of the policy: write it absolute, fs://${
        toUriPath(whole)
      }`,
    );
  }
  const host = realPathOf(whole, reading);
  if (/[,\0]/.test(host)) {
    throw refuse(`leads to "${host}", which has a comma: choose another path`);
  }
  // A link in the folder leads anywhere, as an absolute path does.
  const realFolder = realPathOf(folder, reading);
  if (!rules.isAbsolute(named) && !isWithin(host, realFolder, place)) {
    throw refuse(
      `is a link that leaves the folder of the policy: write it absolute, fs://${
        toUriPath(host)
      }`,
    );
  }
  return { host, isTree, isThere: place.realPath(whole) !== undefined };
}

function toUriPath(path: string): string {
  const plain = path.replaceAll("\\", "/");
  return plain.startsWith("/") ? plain : `/${plain}`;
}

/** The path without symbolic links; what is not there keeps its name. */
function realPathOf(path: string, reading: Reading): string {
  const { basename, dirname, join } = rulesOf(reading);
  const parent = dirname(path);
  if (parent === path) return path;
  return reading.place.realPath(path) ??
    join(realPathOf(parent, reading), basename(path));
}

function rulesOf({ place }: Reading): typeof posix {
  return place.os === "windows" ? win32 : posix;
}

function isDenied(
  path: string,
  access: PathGrant["access"][number],
  denials: readonly PathDenial[],
  { place }: Reading,
): boolean {
  return denials.some((denied) =>
    denied.access.includes(access) && isWithin(path, denied.host, place)
  );
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
