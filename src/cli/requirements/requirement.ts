import { canonicalName } from "../../requirements/canonical_name.ts";
import { pathToFileURL } from "node:url";
import { hideCredentials } from "../../requirements/hide_credentials.ts";
import { EXIT, UserError } from "../../errors.ts";
import { refuseComma } from "../folders.ts";
import { type CliContext, pathRules } from "../context.ts";

/** Where a requirement was written. */
export interface Origin {
  /** Folder that relative paths start from; absolute. */
  folder: string;
  context: CliContext;
  /** To say where it is, such as ` in /w/r.txt:4`, or nothing. */
  where: string;
}

/** What a requirement is refused for. */
class Unreadable extends Error {
  constructor(
    reason: string,
    readonly remedy = 'Write it like "name" or "name>=1.0".',
  ) {
    super(reason);
  }
}

const ONLY_WHEELS = "Only wheels run in WebAssembly: " +
  "name a wheel (.whl), or a package of an index.";

/** Algorithms that pip takes for safe, and how long their hex digests are. */
const HASH_LENGTHS: Record<string, number> = {
  sha256: 64,
  sha384: 96,
  sha512: 128,
};

/** More is no requirement, and would keep patterns busy. */
const MAX_LENGTH = 10_000;
const CONTROLS = /[^\P{Cc}\t]/u;

const NAME = String.raw`[a-z\d](?:[\w.-]*[a-z\d])?`;
const EXTRAS = String.raw`\[[\s\w.,-]*\]`;
const VERSION = String.raw`\s*(?:[<>!=~]=|===|[<>])\s*[\w.*+!-]+\s*`;
const VERSIONS = `${VERSION}(?:,${VERSION})*`;

const BY_NAME = RegExp(
  String.raw`^(${NAME})\s*(${EXTRAS})?\s*(?:${VERSIONS}|\(${VERSIONS}\))?$`,
  "i",
);
const BY_PLACE = RegExp(
  String.raw`^(?:(${NAME})\s*(${EXTRAS})?\s*@)?\s*([^]*?)(${EXTRAS})?$`,
  "i",
);
const MARKED = /^([^:/\\@;]*|.*?\s|.*?(?=;\s)|.*?\.whl(?:\[[^\]]*\])?);(.*)$/is;
const ARCHIVE = /\.(whl|zip|tgz|tbz|txz|tar(\.\w+)?)$/i;
const WHEEL =
  /^([a-z\d](?:[\w.]*[a-z\d])?)-[^\s,-]+(-\d[^\s,-]*)?(-[^\s,-]+){3}\.whl$/i;

/**
 * Reads a requirement as a user writes it: PEP 508, the URL or the path of a
 * wheel, with hashes behind it as in a requirements file.
 *
 * @returns PEP 508; a wheel is `name @ URL`, and hashes are ` --hash=sha256:…`.
 * @throws {UserError} If it is none, or names no wheel.
 */
export function toRequirement(text: string, origin: Origin): string {
  return reading(text, origin, () => {
    const [body = "", ...hashes] = text.trim().split(/\s+--hash(?:=|\s+)/);
    return parseBody(body, origin) + hashes.map(toHashOption).join("");
  });
}

/**
 * Reads a bound for a version, as in a constraints file.
 *
 * @throws {UserError} If it is none.
 */
export function toConstraint(text: string, origin: Origin): string {
  return reading(text, origin, () => {
    const { target } = splitMarker(text);
    const [, , extras] = BY_NAME.exec(target) ?? [];
    if (BY_NAME.test(target) && extras === undefined) return text;
    throw new Unreadable(
      "a constraint only bounds the versions of a package",
      'Write it like "name<2"; a URL, extras or hashes belong to a requirement.',
    );
  });
}

function reading(text: string, { where }: Origin, read: () => string): string {
  try {
    if (CONTROLS.test(text)) {
      throw new Unreadable("it has control characters");
    }
    if (text.length > MAX_LENGTH) {
      throw new Unreadable(`it has more than ${MAX_LENGTH} characters`);
    }
    return read();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const shown = hideCredentials(text.slice(0, 200)).replace(
      CONTROLS,
      "\uFFFD",
    );
    throw new UserError(
      `Cannot read requirement "${shown}"${where}: ${error.message}. ${error.remedy}`,
      EXIT.usage,
    );
  }
}

function parseBody(body: string, origin: Origin): string {
  const { target, marker } = splitMarker(body);
  const [, project] = BY_NAME.exec(target) ?? [];
  if (project !== undefined && !ARCHIVE.test(project)) return body;

  const [, name, extras, place = "", extrasBehind] = BY_PLACE.exec(target) ??
    [];
  if (name === undefined && !isPlace(place, origin.context)) {
    throw new Unreadable("it is no name with versions, nor a wheel");
  }
  const wheel = parsePlace(place, origin);
  return [
    `${name ?? wheel.project}${extras ?? extrasBehind ?? ""} @ ${wheel.url}`,
    ...(marker ? [`; ${marker}`] : []),
  ].join(" ");
}

/** Splits at the `;` of a marker; in a URL, one without a space is its own. */
function splitMarker(body: string): { target: string; marker: string } {
  const [, target = body, marker = ""] = MARKED.exec(body) ?? [];
  return { target: target.trim(), marker: marker.trim() };
}

/** Whether a text without a name before it is a URL or a path, as pip guesses. */
function isPlace(text: string, context: CliContext): boolean {
  return /^[.~]|\/|^[a-z][a-z\d+.-]+:/i.test(text) || ARCHIVE.test(text) ||
    (context.os === "windows" && text.includes("\\"));
}

interface Wheel {
  url: string;
  /** As its file name says. */
  project: string;
}

function parsePlace(
  place: string,
  origin: Origin,
): Wheel {
  if (/^(git|hg|svn|bzr)(\+|:)/i.test(place)) {
    throw new Unreadable("it is source code in a repository", ONLY_WHEELS);
  }
  const [, scheme] = /^([a-z][a-z\d+.-]+):/i.exec(place) ?? [];
  switch (scheme?.toLowerCase()) {
    case undefined:
      return parsePath(place, origin);
    case "file":
      return parsePath(toPath(place, origin.context), origin);
    case "http":
    case "https": {
      const url = URL.parse(place);
      if (!url) throw new Unreadable("its URL does not parse", ONLY_WHEELS);
      const file = decode(url.pathname).split("/").at(-1) ?? "";
      // A list of requirements is split at commas.
      const href = url.href.replaceAll(",", "%2C");
      return { url: href, project: toProject(file) };
    }
    default:
      throw new Unreadable(
        "its URL must start with https:, http: or file:",
        ONLY_WHEELS,
      );
  }
}

function parsePath(
  place: string,
  { folder, context, where }: Origin,
): Wheel {
  const { basename, dirname, resolve } = pathRules(context);
  const path = resolve(folder, expandHome(place, context));
  if (context.isFolder(path)) {
    throw new Unreadable(
      `${path} is a folder`,
      `${ONLY_WHEELS} For a folder of wheels, use --find-links.`,
    );
  }
  if (!context.isFile(path)) {
    throw new Unreadable(`${path} does not exist`, "Check its path.");
  }
  const project = toProject(basename(path));
  refuseComma(
    dirname(path),
    `use the wheel ${basename(path)}${where} in`,
    "move it to another folder",
  );
  const windows = context.os === "windows";
  return { url: pathToFileURL(path, { windows }).href, project };
}

function expandHome(path: string, { home, os }: CliContext): string {
  const inHome = os === "windows" ? /^~(?=[\\/])/ : /^~(?=\/)/;
  return home ? path.replace(inHome, () => home) : path;
}

// `fileURLToPath()` of Deno 2.9 knows only the rules of its own machine.
function toPath(text: string, { os }: CliContext): string {
  const { host = "", pathname = "" } = URL.parse(text) ?? {};
  // As ours are encoded, so that what was read once is read the same again.
  const path = decode(pathname);
  if (os !== "windows" && host === "") return path;
  if (os !== "windows") {
    throw new Unreadable("its URL names another machine", ONLY_WHEELS);
  }
  return host === "" ? path.slice(1) : `//${host}${path}`;
}

/** The project that a wheel is of, which its file name must say. */
function toProject(file: string): string {
  const [, project] = WHEEL.exec(file) ?? [];
  if (project !== undefined) return canonicalName(project);
  throw /\.whl$/i.test(file)
    ? new Unreadable(
      `"${file}" is no name of a wheel`,
      "It must be like name-1.0-py3-none-any.whl.",
    )
    : new Unreadable(
      ARCHIVE.test(file)
        ? "it is an archive that would have to be built"
        : "it is no wheel",
      ONLY_WHEELS,
    );
}

function toHashOption(text: string): string {
  const [, algorithm = "", digest = ""] = /^([^:]*):(.*)$/.exec(text.trim()) ??
    [];
  const length = HASH_LENGTHS[algorithm];
  if (length === undefined) {
    throw new Unreadable(
      `"${algorithm || text}" is no hash that is safe`,
      "Use sha256, sha384 or sha512.",
    );
  }
  if (digest.length === length && /^[\da-f]*$/i.test(digest)) {
    return ` --hash=${algorithm}:${digest.toLowerCase()}`;
  }
  throw new Unreadable(
    `its ${algorithm} must be ${length} hexadecimal digits`,
    "Copy it whole.",
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Unreadable("its URL has a % that encodes nothing", ONLY_WHEELS);
  }
}
