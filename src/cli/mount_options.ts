import { isWithin, pathRules } from "../grants/paths.ts";
import {
  isGuestPath,
  type Mount,
  refuseMount as refuse,
} from "../grants/mounts.ts";
import type { CliContext } from "./context.ts";

/** Folders that are Python's own, or the system's. */
const TAKEN =
  "workspace lib lib64 tmp home dev proc sys usr bin sbin etc var root session"
    .split(" ");
/** Folders of the system that hold no files of a user. */
const NO_FILES = ["/proc", "/sys", "/dev"];

/**
 * Reads a text such as `HOST[:GUEST][:ro|rw]`.
 *
 * @throws {UserError} If a folder is not there, or must not be mounted.
 */
export function toMount(text: string, context: CliContext): Mount {
  const rules = pathRules(context);
  const parts = split(text, context);
  const path = rules.resolve(context.cwd, parts.host);
  if (!context.isFolder(path)) {
    const hint = text.includes(":")
      ? ""
      : ". A path has no comma or colon in it";
    const reason = context.exists(path)
      ? "is not a folder: mount the folder that it is in"
      : `does not exist${hint}`;
    throw refuse(text, `"${path}" ${reason}`);
  }
  const host = context.realPath?.(path) ?? path;
  const { guest = `/mnt/${rules.basename(path)}`, mode } = parts;
  checkMount(text, { host, guest }, context);
  return { host, guest, isWritable: mode === "rw" };
}

/** @throws {UserError} If a folder must not be mounted, or not at its place. */
export function checkMount(
  text: string,
  { host, guest }: Pick<Mount, "host" | "guest">,
  context: CliContext,
): void {
  refuseHost(text, host, context);
  refuseGuest(text, guest);
}

/** @throws {UserError} If a mount is in another's place, or opens another. */
export function refuseOverlaps(
  mounts: readonly Mount[],
  context: CliContext,
): void {
  for (const [index, { host, guest }] of mounts.entries()) {
    const other = mounts.slice(0, index)
      .find((other) => overlaps(other.guest, guest));
    if (!other) continue;
    const relation = other.guest === guest ? "taken by" : "within, or around,";
    throw refuse(
      `${host}:${guest}`,
      `${guest} is ${relation} another mount, of "${other.host}": give it another path, such as ${host}:/mnt/other`,
    );
  }
  refuseOpenInner(mounts, context);
}

/** A read-only folder must not be writable under another name. */
function refuseOpenInner(mounts: readonly Mount[], context: CliContext): void {
  for (const outer of mounts.filter(({ isWritable }) => isWritable)) {
    const inner = mounts.find(({ host, isWritable }) =>
      !isWritable && isWithin(host, outer.host, context)
    );
    if (!inner) continue;
    throw refuse(
      `${inner.host}:${inner.guest}:ro`,
      `Python could change it by ${outer.guest}, where "${outer.host}" is writable: mount both :ro, or both :rw`,
    );
  }
}

/** Splits a text at its colons; a drive of Windows has a colon, too. */
function split(text: string, { os }: CliContext) {
  const drives = os === "windows" ? /^[a-z]:(?=[\\/])/i : /^[a-z]:(?=\\)/i;
  const [drive = ""] = drives.exec(text) ?? [];
  const [, paths = "", mode = "ro"] =
    /^(.*?)(?::(ro|rw))?$/s.exec(text.slice(drive.length)) ?? [];
  const [host = "", guest, ...more] = paths.split(":");
  if (more.length > 0) {
    throw refuse(
      text,
      "it must be HOST, HOST:GUEST, or either with :ro or :rw behind it, and no path may have a colon in it",
    );
  }
  if (host === "" && drive === "") throw refuse(text, "it names no folder");
  return { host: drive + host, guest, mode };
}

function refuseHost(text: string, host: string, context: CliContext): void {
  const rules = pathRules(context);
  if (rules.parse(host).root === host) {
    throw refuse(text, "it would show all of this machine: mount a folder");
  }
  if (NO_FILES.some((folder) => isWithin(host, folder, context))) {
    throw refuse(text, `"${host}" holds no files but the system itself`);
  }
  if (/[,:]/.test(host.replace(/^[a-z]:(?=[\\/])/i, ""))) {
    throw refuse(
      text,
      `"${host}" has a comma or colon in it, by which Deno would take it for two: choose another folder`,
    );
  }
}

function refuseGuest(text: string, guest: string): void {
  if (!isGuestPath(guest)) {
    throw refuse(
      text,
      `Python cannot have it at "${guest}": that must be a path such as /mnt/data`,
    );
  }
  if (guest === "/mnt" || TAKEN.includes(guest.split("/")[1] ?? "")) {
    const reason = `${guest} is Python's own: use a path such as /mnt/data`;
    throw refuse(text, reason);
  }
}

function overlaps(one: string, other: string): boolean {
  return `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
}
