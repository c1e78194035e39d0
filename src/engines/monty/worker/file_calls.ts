import type { Json } from "../../../protocol/run_result.ts";
import {
  type HostCall,
  maybeBytes,
  monty,
  type MontyJson,
  PythonError,
} from "./host_call.ts";
import { fail, FileFault } from "./os_error.ts";
import { toPath, toPlace } from "./place.ts";
import { scan } from "./scan.ts";
import { toStatResult } from "./stat_result.ts";
import type { Kind, Place, Stat, Tree } from "./tree.ts";
import { toText } from "./utf8.ts";

/** A call without its name. */
type Arguments = Omit<HostCall, "name">;

/** Answers a call; throws a `FileFault` or `PythonError`. */
export type FileCall = (tree: Tree, given: Arguments) => MontyJson;

const encoder = new TextEncoder();

/** Calls that say whether something is there: an error is a no. */
const PREDICATES: Record<string, (tree: Tree, place: Place) => boolean> = {
  "Path.exists": (tree, place) => Boolean(tree.stat(place)),
  "Path.is_file": (tree, place) => tree.stat(place).kind === "file",
  "Path.is_dir": (tree, place) => tree.stat(place).kind === "folder",
  "Path.is_symlink": (tree, place) => tree.isLink(place),
};

const STEPS: Record<string, FileCall> = {
  "Path.read_text": (tree, { args }) =>
    monty.text(toText(tree.read(placeOf(args[0])))),
  "Path.read_bytes": (tree, { args }) =>
    monty.bytes(tree.read(placeOf(args[0]))),
  "Path.stat": (tree, { args }) => toStatResult(tree.stat(placeOf(args[0]))),
  "Path.iterdir": (tree, { args }) => {
    const place = placeOf(args[0]);
    return monty.list(
      tree.list(place).map(({ name }) => monty.path(toPath([...place, name]))),
    );
  },
  "Path.scan": scanned,
  "Path.resolve": (tree, { args }) =>
    monty.path(toPath(tree.resolve(placeOf(args[0])))),
  "Path.absolute": (_tree, { args }) => monty.path(toPath(placeOf(args[0]))),
  "Path.write_text": (tree, { args }) => writeText(tree, args, "over"),
  "Path.append_text": (tree, { args }) => writeText(tree, args, "behind"),
  "Path.write_bytes": (tree, { args }) => writeBytes(tree, args, "over"),
  "Path.append_bytes": (tree, { args }) => writeBytes(tree, args, "behind"),
  open: opened,
  "Path.mkdir": (tree, { args, kwargs }) => {
    const { parents, exist_ok: existOk } = kwargs;
    makeFolder(tree, placeOf(args[0]), parents === true, existOk === true);
    return monty.none;
  },
  "Path.unlink": (tree, { args }) => {
    tree.removeFile(placeOf(args[0]));
    return monty.none;
  },
  "Path.rmdir": (tree, { args }) => {
    tree.removeFolder(placeOf(args[0]));
    return monty.none;
  },
  "Path.rename": (tree, { args }) => {
    tree.rename(placeOf(args[0]), placeOf(args[1]));
    return monty.none;
  },
};

/** The calls of Python on files, by the names that Monty gives them. */
export const FILE_CALLS: ReadonlyMap<string, FileCall> = new Map([
  ...Object.entries(STEPS),
  ...Object.entries(PREDICATES).map(([name, holds]): [string, FileCall] => [
    name,
    (tree, { args }) =>
      monty.bool(maybe(() => holds(tree, placeOf(args[0]))) ?? false),
  ]),
]);

function placeOf(path: Json | undefined): Place {
  const text = textOf(path);
  if (text.includes("\0")) {
    throw new PythonError("ValueError", "embedded null byte");
  }
  return toPlace(text);
}

function textOf(value: Json | undefined): string {
  if (typeof value === "string") return value;
  throw new PythonError(
    "TypeError",
    "expected str, bytes or os.PathLike object",
  );
}

function bytesOf(value: Json | undefined): Uint8Array<ArrayBuffer> {
  const bytes = maybeBytes(value);
  if (bytes) return bytes;
  throw new PythonError("TypeError", "a bytes-like object is required");
}

/** Undefined if the system or Python refuses. */
function maybe<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch (error) {
    if (error instanceof FileFault || error instanceof PythonError) {
      return undefined;
    }
    throw error;
  }
}

function writeText(tree: Tree, args: Json[], where: "over" | "behind") {
  const text = textOf(args[1]);
  tree.write(placeOf(args[0]), encoder.encode(text), where);
  let characters = 0;
  for (const _ of text) characters++;
  return monty.int(characters);
}

function writeBytes(tree: Tree, args: Json[], where: "over" | "behind") {
  const bytes = bytesOf(args[1]);
  const { length } = bytes;
  tree.write(placeOf(args[0]), bytes, where);
  return monty.int(length);
}

/** Python's file object has no file of ours: it reads and writes by other calls. */
function opened(tree: Tree, { args }: Arguments): MontyJson {
  const [place, mode] = [placeOf(args[0]), textOf(args[1])];
  if (mode.startsWith("r")) {
    const { kind } = tree.stat(place);
    if (kind !== "file") fail(kind === "folder" ? "EISDIR" : "EACCES");
  } else {
    const where = mode.startsWith("a") ? "behind" : "over";
    tree.write(place, new Uint8Array(), where);
  }
  return { FileHandle: { path: toPath(place), mode, position: 0 } };
}

function makeFolder(
  tree: Tree,
  place: Place,
  parents: boolean,
  existOk: boolean,
): void {
  const found = maybe(() => tree.stat(place));
  if (found) {
    if (found.kind !== "folder" || !existOk) fail("EEXIST");
    return;
  }
  for (let depth = 1; parents && depth < place.length; depth++) {
    const above = place.slice(0, depth);
    if (!maybe(() => tree.stat(above))) tree.makeFolder(above);
  }
  tree.makeFolder(place);
}

function scanned(tree: Tree, { args, kwargs }: Arguments): MontyJson {
  const place = placeOf(args[0]);
  const { max_depth: maxDepth, follow_symlinks: followLinks } = kwargs;
  const { kind }: Stat = tree.stat(place);
  const isLink = tree.isLink(place);
  const entries = [toScanned("", kind, isLink)];
  if (kind === "folder") {
    const found = scan(tree, place, {
      maxDepth: typeof maxDepth === "number" ? maxDepth : undefined,
      followLinks: followLinks === true,
    });
    for (const { path, kind, isLink } of found) {
      entries.push(toScanned(path, kind, isLink));
    }
  }
  return monty.list(entries);
}

function toScanned(path: string, kind: Kind, isLink: boolean): MontyJson {
  return monty.tuple(
    monty.text(path),
    monty.bool(kind === "folder"),
    monty.bool(kind === "file"),
    monty.bool(isLink),
  );
}
