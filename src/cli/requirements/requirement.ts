import { pathToFileURL } from "node:url";
import { EXIT, UserError } from "../../errors.ts";
import { canonicalName } from "../../requirements/names.ts";
import { hideCredentials } from "../../requirements/hide_credentials.ts";
import type { CliContext } from "../context.ts";
import { pathRules } from "../../grants/paths.ts";
import { refuseComma } from "../folders.ts";

export interface Origin {
  /** Folder that relative paths start from; absolute. */
  folder: string;
  context: CliContext;
  /** For messages, such as ` in /w/r.txt:4`; may be empty. */
  where: string;
}

class Unreadable extends Error {
  constructor(reason: string, readonly remedy: string) {
    super(reason);
  }
}

const CONTROLS = /[^\P{Cc}\t]/gu;
const HASH = /^sha(256:[\da-f]{64}|384:[\da-f]{96}|512:[\da-f]{128})$/i;
const ARCHIVE = /\.(whl|zip|tgz|tbz|txz|tar(\.\w+)?)$/i;

const NAME = String.raw`[a-z\d](?:[\w.-]*[a-z\d])?`;
const EXTRAS = String.raw`\[[^[\]]*\]`;
const REQUIREMENT = RegExp(String.raw`^${NAME}\s*(?:$|[[(<>=!~;])`, "i");
const CONSTRAINT = RegExp(String.raw`^${NAME}\s*(?:$|[(<>=!~;])`, "i");
const WHEEL = RegExp(
  String.raw`^(?:(${NAME}\s*(?:${EXTRAS}\s*)?)@\s*)?(.*?)(${EXTRAS})?$`,
  "is",
);
/** Where a marker starts: in a URL, a `;` without a space is the URL's own. */
const MARKER = /(?<=^[^:/\\@;]*|\s|\]|\.whl);/i;

/**
 * Reads a requirement as a user writes it: PEP 508, or the URL or the path of a
 * wheel, with hashes behind it as in a requirements file. The resolver reads
 * the rest: names, versions, extras, markers, and which files are wheels.
 *
 * @returns PEP 508; a wheel is `name @ URL`, and hashes are ` --hash=sha256:…`.
 * @throws {UserError} If it is not a name, a path or a URL.
 */
export function toRequirement(text: string, origin: Origin): string {
  return reading(text, origin, () => {
    const [body = "", ...hashes] = text.trim().split(/\s+--hash(?:=|\s+)/);
    return parseBody(body, origin) + hashes.map(toHashOption).join("");
  });
}

/** @throws {UserError} If a text does not bound the versions of a package. */
export function toConstraint(text: string, origin: Origin): string {
  return reading(text, origin, () => {
    if (CONSTRAINT.test(text) && !text.includes("--hash")) return text;
    return refuse(
      "a constraint only bounds the versions of a package",
      'Write it like "name<2"; a URL, extras or hashes belong to a requirement.',
    );
  });
}

function reading(text: string, { where }: Origin, read: () => string): string {
  try {
    if (text.search(CONTROLS) >= 0) {
      refuse("it has control characters", "Leave them out.");
    }
    return read();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const shown = hideCredentials(text.slice(0, 200))
      .replace(CONTROLS, "\uFFFD");
    throw new UserError(
      `Cannot read requirement "${shown}"${where}: ${error.message}. ${error.remedy}`,
      EXIT.usage,
    );
  }
}

function parseBody(body: string, origin: Origin): string {
  const end = body.search(MARKER);
  const target = (end < 0 ? body : body.slice(0, end)).trim();
  const [, named, place = "", extras = ""] = WHEEL.exec(target) ?? [];
  if (named === undefined && !isPlace(target, origin.context)) {
    if (REQUIREMENT.test(body)) return body;
    refuse(
      "expected a package name with versions, or a wheel",
      'Write it like "name" or "name>=1.0".',
    );
  }
  const url = toUrl(place, origin);
  const name = named?.trim() ?? nameOf(url);
  const marker = end < 0 ? "" : ` ; ${body.slice(end + 1).trim()}`;
  return `${name}${extras} @ ${url}${marker}`;
}

/** Whether a text without a name before it is a URL or a path, as pip guesses. */
function isPlace(text: string, context: CliContext): boolean {
  return /^[.~]|\/|^[a-z][a-z\d+.-]+:/i.test(text) || ARCHIVE.test(text) ||
    (context.os === "windows" && text.includes("\\"));
}

function toUrl(place: string, origin: Origin): string {
  const [, scheme = "file"] = /^([a-z][a-z\d+.-]+):/i.exec(place) ?? [];
  if (scheme.toLowerCase() === "file") return toFileUrl(place, origin);
  const { href } = URL.parse(place) ??
    refuse("its URL does not parse", "Copy it whole.");
  // A list of requirements is split at commas.
  return href.replaceAll(",", "%2C");
}

function toFileUrl(place: string, { folder, context, where }: Origin): string {
  const read = /^file:/i.test(place) ? toPath : expandHome;
  const path = pathRules(context).resolve(folder, read(place, context));
  if (context.isFolder(path)) {
    const remedy =
      "Name a wheel (.whl); for a folder of wheels, use --find-links.";
    refuse(`${path} is a folder`, remedy);
  }
  if (!context.isFile(path)) {
    refuse(`${path} does not exist`, "Check its path.");
  }
  refuseComma(path, `use the wheel${where}`, "rename it or its folder");
  return pathToFileURL(path, { windows: context.os === "windows" }).href;
}

function expandHome(path: string, { home, os }: CliContext): string {
  const inHome = os === "windows" ? /^~(?=[\\/])/ : /^~(?=\/)/;
  return home ? path.replace(inHome, () => home) : path;
}

// `fileURLToPath()` of Deno 2.9 knows only the rules of its own machine.
function toPath(text: string, { os }: CliContext): string {
  const { host = "", pathname = "" } = URL.parse(text) ?? {};
  const path = decode(pathname);
  if (os !== "windows" && host === "") return path;
  if (os !== "windows") {
    refuse("its URL names another machine", "Name a file of this machine.");
  }
  return host === "" ? path.slice(1) : `//${host}${path}`;
}

/** The name that PEP 508 wants before a URL: the project that its file names. */
function nameOf(url: string): string {
  const [file = ""] = /[^/]*$/.exec(decode(new URL(url).pathname)) ?? [];
  const [project = "unnamed"] = /^[a-z\d](?:[\w.]*[a-z\d])?(?=-)/i.exec(file) ??
    [];
  return canonicalName(project);
}

function toHashOption(text: string): string {
  const hash = text.trim();
  if (HASH.test(hash)) return ` --hash=${hash.toLowerCase()}`;
  return refuse(
    `"${hash}" is not a whole hash that is safe`,
    "Use sha256, sha384 or sha512, like sha256:0123abc….",
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse("its URL has a % that encodes nothing", "Copy it whole.");
  }
}

function refuse(reason: string, remedy: string): never {
  throw new Unreadable(reason, remedy);
}
