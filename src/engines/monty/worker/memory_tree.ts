import { FILE, FOLDER } from "../../shared/emscripten_fs.ts";
import { fail } from "./os_error.ts";
import type { Entry, Place, Stat, Tree } from "./tree.ts";

export interface MemoryFolder {
  kind: "folder";
  entries: Map<string, MemoryNode>;
  modifiedMs: number;
}

export interface MemoryFile {
  kind: "file";
  /** Its start is the file; the rest is room to grow. */
  storage: Uint8Array<ArrayBuffer>;
  size: number;
  modifiedMs: number;
  /** Another number after each change. */
  version: number;
}

export type MemoryNode = MemoryFolder | MemoryFile;

/** The limits of all files below a folder together. */
export interface MemoryLimits {
  bytes: number;
  /** Files and folders. */
  nodes: number;
}

/**
 * Files in memory. Only what is below the folder `home` of the root can be changed,
 * within the limits; a call that would exceed them fails with ENOSPC.
 */
export class MemoryTree implements Tree {
  readonly home: MemoryFolder;
  #root = newFolder();
  #held: MemoryLimits = { bytes: 0, nodes: 0 };

  constructor(private homeName: string, private limits: MemoryLimits) {
    this.home = this.addFolders([homeName]);
  }

  /** Makes folders that no call can change. */
  addFolders(place: Place): MemoryFolder {
    let folder = this.#root;
    for (const name of place) {
      const next = folder.entries.get(name) ?? newFolder();
      folder.entries.set(name, next);
      folder = asFolder(next);
    }
    return folder;
  }

  find(place: Place): MemoryNode {
    let node: MemoryNode = this.#root;
    for (const name of place) {
      node = asFolder(node).entries.get(name) ?? fail("ENOENT");
    }
    return node;
  }

  stat(place: Place): Stat {
    const node = this.find(place);
    const { kind, modifiedMs } = node;
    const times = { accessedMs: modifiedMs, modifiedMs };
    if (node.kind === "file") {
      return { kind, mode: FILE | 0o644, size: node.size, ...times };
    }
    const mode = FOLDER | (this.#isOpen(place) ? 0o755 : 0o555);
    return { kind, mode, size: 4096, ...times };
  }

  isLink(place: Place): boolean {
    this.find(place);
    return false;
  }

  list(place: Place): Entry[] {
    return [...asFolder(this.find(place)).entries]
      .map(([name, { kind }]) => ({ name, kind, isLink: false }));
  }

  read(place: Place): Uint8Array {
    const { storage, size } = asFile(this.find(place));
    return storage.subarray(0, size);
  }

  write(
    place: Place,
    bytes: Uint8Array<ArrayBuffer>,
    where: "over" | "behind",
  ): void {
    const { folder, name } = this.#parentOf(place, "EISDIR");
    const old = folder.entries.get(name);
    if (!old) this.#checkOpen(place.slice(0, -1));
    const file = old ? asFile(old) : newFile();
    const size = where === "over" ? bytes.length : file.size + bytes.length;
    if (old && where === "behind" && bytes.length === 0) return;
    this.#take({ bytes: size - file.size, nodes: old ? 0 : 1 });
    if (where === "over" || file.size === 0) file.storage = bytes;
    else {
      reserve(file, size, this.limits.bytes);
      file.storage.set(bytes, file.size);
    }
    Object.assign(file, { size, modifiedMs: Date.now() });
    file.version++;
    if (!old) put(folder, name, file);
  }

  makeFolder(place: Place): void {
    const { folder, name } = this.#parentOf(place, "EEXIST");
    if (folder.entries.has(name)) fail("EEXIST");
    this.#checkOpen(place.slice(0, -1));
    this.#take({ bytes: 0, nodes: 1 });
    put(folder, name, newFolder());
  }

  removeFile(place: Place): void {
    const file = asFile(this.find(place));
    this.#remove(place, file);
  }

  removeFolder(place: Place): void {
    const folder = asFolder(this.find(place));
    if (place.length === 0) fail("EBUSY");
    this.#remove(place, folder);
  }

  rename(from: Place, to: Place): void {
    const source = this.#parentOf(from, "EBUSY");
    const target = this.#parentOf(to, "EBUSY");
    const node = source.folder.entries.get(source.name) ?? fail("ENOENT");
    if (isWithin(to, from)) {
      if (from.length === to.length) return;
      fail("EINVAL");
    }
    if (isWithin(from, to)) fail("ENOTEMPTY");
    this.#checkOpen(from.slice(0, -1));
    this.#checkOpen(to.slice(0, -1));
    const old = target.folder.entries.get(target.name);
    if (old) {
      // The system refuses each with an error of its own.
      if (node.kind === "file") asFile(old);
      else asFolder(old);
      this.#remove(to, old);
    }
    source.folder.entries.delete(source.name);
    source.folder.modifiedMs = Date.now();
    put(target.folder, target.name, node);
  }

  resolve(place: Place): Place {
    return place;
  }

  #remove(place: Place, node: MemoryNode): void {
    const { folder, name } = this.#parentOf(place, "EBUSY");
    this.#checkOpen(place.slice(0, -1));
    if (node.kind === "folder" && node.entries.size > 0) fail("ENOTEMPTY");
    folder.entries.delete(name);
    folder.modifiedMs = Date.now();
    this.#held.bytes -= node.kind === "file" ? node.size : 0;
    this.#held.nodes--;
  }

  /** @param atRoot The error for the root itself. */
  #parentOf(place: Place, atRoot: "EISDIR" | "EEXIST" | "EBUSY") {
    const name = place.at(-1) ?? fail(atRoot);
    return { folder: asFolder(this.find(place.slice(0, -1))), name };
  }

  #checkOpen(folder: Place): void {
    if (!this.#isOpen(folder)) fail("EACCES");
  }

  #isOpen(place: Place): boolean {
    return place[0] === this.homeName;
  }

  #take({ bytes, nodes }: MemoryLimits): void {
    const held = {
      bytes: this.#held.bytes + bytes,
      nodes: this.#held.nodes + nodes,
    };
    const grows = bytes > 0 || nodes > 0;
    const fits = held.bytes <= this.limits.bytes &&
      held.nodes <= this.limits.nodes;
    if (grows && !fits) fail("ENOSPC");
    this.#held = held;
  }
}

function newFolder(): MemoryFolder {
  return { kind: "folder", entries: new Map(), modifiedMs: Date.now() };
}

function newFile(): MemoryFile {
  const modifiedMs = Date.now();
  return {
    kind: "file",
    storage: new Uint8Array(),
    size: 0,
    modifiedMs,
    version: 0,
  };
}

function put(folder: MemoryFolder, name: string, node: MemoryNode): void {
  folder.entries.set(name, node);
  folder.modifiedMs = Date.now();
}

/** Doubles the room of a file, so that many small pieces cost one copy each. */
function reserve(file: MemoryFile, size: number, most: number): void {
  const had = file.storage.length;
  if (size <= had) return;
  const storage = allocate(Math.max(size, Math.min(2 * had, most)));
  storage.set(file.storage.subarray(0, file.size));
  file.storage = storage;
}

function allocate(bytes: number): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(bytes);
  } catch {
    // Beyond JavaScript's limit.
    return fail("ENOSPC");
  }
}

function isWithin(place: Place, other: Place): boolean {
  return other.every((name, at) => name === place[at]);
}

function asFolder(node: MemoryNode): MemoryFolder {
  return node.kind === "folder" ? node : fail("ENOTDIR");
}

function asFile(node: MemoryNode): MemoryFile {
  return node.kind === "file" ? node : fail("EISDIR");
}
