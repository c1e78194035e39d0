// Descriptors of WASI over a granted folder: the file system of `mount_fs.ts` does all
// that touches this machine, and has the rules.
import type { Mount } from "../../grants/mounts.ts";
import {
  FILE,
  FOLDER,
  type Node,
  type Stream,
} from "../../engines/shared/emscripten_fs.ts";
import type { FolderFileSystem } from "../../engines/shared/mount_fs.ts";
import { ErrnoError } from "../../engines/shared/plain_nodes.ts";
import type { io } from "../../../deps/jco_wasi.ts";
import {
  BY_NUMBER,
  type DescriptorFlags,
  fail,
  type OpenFlags,
  type PathFlags,
  toTime,
  typeOf,
} from "./file_words.ts";
import { Walker } from "./walker.ts";

/** Bytes that one call reads. */
const MOST_READ = 16 * 2 ** 20;
/** Names of a folder that a call may list. */
const MOST_LISTED = 100_000;
const WRITE = 1;

/** What all descriptors of an instance share. */
export interface FilesContext {
  streams: Pick<typeof io, "inputStreamCreate" | "outputStreamCreate">;
  /** Told of each path that the component may not use as it wanted. */
  onDenied(kind: "read" | "write", path: string): void;
}

export class DirectoryEntryStream {
  #rest: { name: string; type: string }[];

  constructor(entries: { name: string; type: string }[]) {
    this.#rest = entries;
  }

  readDirectoryEntry() {
    return this.#rest.shift();
  }
}

export class Descriptor {
  protected context: FilesContext;
  #folder: FolderFileSystem;
  #mount: Mount;
  #place: readonly string[];
  #node: Node;
  #flags: DescriptorFlags;
  #walker: Walker;
  /** Of a file. */
  #stream: Stream | undefined;

  constructor(
    mount: Mount,
    folder: FolderFileSystem,
    at: { node: Node; place: readonly string[]; flags: DescriptorFlags },
    context: FilesContext,
  ) {
    this.context = context;
    this.#mount = mount;
    this.#folder = folder;
    this.#node = at.node;
    this.#place = at.place;
    this.#flags = at.flags;
    this.#walker = new Walker(folder, mount.guest, at);
    if (typeOf(at.node) !== "regular-file") return;
    const stream: Stream = {
      ...{ node: at.node, position: 0, shared: {} },
      flags: at.flags.write ? at.flags.read === false ? WRITE : 2 : 0,
      stream_ops: folder.streamOps,
    } as Stream;
    this.attempt(
      () => folder.streamOps.open(stream),
      this.#tried("", at.flags),
    );
    this.#stream = stream;
  }

  getType() {
    return typeOf(this.#node);
  }

  getFlags() {
    return { ...this.#flags };
  }

  stat() {
    return this.#statOf(this.#node);
  }

  statAt({ symlinkFollow }: PathFlags, path: string) {
    const { node } = this.#walk(path, { follow: symlinkFollow });
    return this.#statOf(node);
  }

  openAt(
    { symlinkFollow }: PathFlags,
    path: string,
    how: OpenFlags,
    flags: DescriptorFlags,
  ): Descriptor {
    const wants = flags.write || how.create || how.truncate;
    const kind = wants ? "write" as const : "read" as const;
    return this.attempt(() => {
      const found = this.#walker.maybeFollow(
        path,
        symlinkFollow && !how.exclusive,
      );
      if (found && how.create && how.exclusive) fail("EEXIST");
      const at = found ?? (how.create ? this.#make(path) : fail("ENOENT"));
      const type = typeOf(at.node);
      if (type === "symbolic-link") fail("ELOOP");
      if (how.directory && type !== "directory") fail("ENOTDIR");
      if (type === "directory" && (flags.write || how.truncate)) {
        fail("EISDIR");
      }
      if (how.truncate && found) {
        this.#folder.nodeOps.setattr(at.node, { size: 0 });
      }
      return new Descriptor(
        ...[this.#mount, this.#folder, { ...at, flags }, this.context] as const,
      );
    }, { kind, path: this.#hostPath(path) });
  }

  read(length: bigint, offset: bigint): [Uint8Array, boolean] {
    const most = Math.min(Number(length), MOST_READ);
    const bytes = new Uint8Array(most);
    const count = this.attempt(() =>
      this.#folder.streamOps.read(
        this.#file(),
        ...[bytes, 0, most, Number(offset)] as const,
      )
    );
    return [bytes.subarray(0, count), count < most];
  }

  write(bytes: Uint8Array<ArrayBuffer>, offset: bigint): bigint {
    const count = this.attempt(
      () =>
        this.#folder.streamOps.write(
          this.#file(),
          ...[bytes, 0, bytes.length, Number(offset)] as const,
        ),
      { kind: "write", path: this.#hostPath("") },
    );
    return BigInt(count);
  }

  readViaStream(offset: bigint) {
    let at = offset;
    const blockingRead = (length: bigint) => {
      const [bytes] = this.read(length, at);
      if (bytes.length === 0 && length > 0n) throw { tag: "closed" };
      at += BigInt(bytes.length);
      return bytes;
    };
    return this.context.streams.inputStreamCreate({ blockingRead });
  }

  writeViaStream(offset: bigint) {
    let at = offset;
    return this.context.streams.outputStreamCreate({
      write: (bytes: Uint8Array<ArrayBuffer>) => {
        at += this.write(bytes, at);
      },
    });
  }

  appendViaStream() {
    return this.context.streams.outputStreamCreate({
      write: (bytes: Uint8Array<ArrayBuffer>) =>
        void this.write(bytes, this.stat().size),
    });
  }

  setSize(size: bigint) {
    this.attempt(
      () => this.#folder.nodeOps.setattr(this.#node, { size: Number(size) }),
      { kind: "write", path: this.#hostPath("") },
    );
  }

  readDirectory() {
    return this.attempt(() => {
      if (typeOf(this.#node) !== "directory") fail("ENOTDIR");
      const found = this.#folder.nodeOps.entries(this.#node);
      if (found.length > MOST_LISTED) fail("EFBIG");
      return new DirectoryEntryStream(
        found.map(({ name, kind }) => ({
          name,
          type: typeOf({ mode: kind }),
        })),
      );
    });
  }

  createDirectoryAt(path: string) {
    this.#change(
      path,
      ({ parent, name }) =>
        void this.#folder.nodeOps.mknod(parent, name, FOLDER | 0o777),
    );
  }

  removeDirectoryAt(path: string) {
    this.#change(
      path,
      ({ parent, name }) => this.#folder.nodeOps.rmdir(parent, name),
    );
  }

  unlinkFileAt(path: string) {
    this.#change(
      path,
      ({ parent, name }) => this.#folder.nodeOps.unlink(parent, name),
    );
  }

  renameAt(path: string, other: Descriptor, newPath: string) {
    this.#change(path, ({ parent, name }) => {
      if (other.#folder !== this.#folder) fail("EXDEV");
      const target = other.#walker.parentOf(newPath);
      const node = this.#folder.nodeOps.lookup(parent, name);
      this.#folder.nodeOps.rename(node, target.parent, target.name);
    });
  }

  readlinkAt(path: string) {
    return this.attempt(() => {
      const { node } = this.#walk(path, {});
      if (typeOf(node) !== "symbolic-link") fail("EINVAL");
      return this.#folder.nodeOps.readlink(node);
    });
  }

  // A link could lead other programs out of the folder.
  symlinkAt() {
    throw "not-permitted";
  }

  linkAt() {
    throw "not-permitted";
  }

  setTimes() {
    throw "unsupported";
  }

  setTimesAt() {
    throw "unsupported";
  }

  advise() {}
  sync() {}
  syncData() {}

  isSameObject(other: Descriptor) {
    return other.#folder === this.#folder &&
      other.#place.join("/") === this.#place.join("/");
  }

  metadataHash() {
    return this.#hashOf(this.#node);
  }

  metadataHashAt({ symlinkFollow }: PathFlags, path: string) {
    return this.#hashOf(this.#walk(path, { follow: symlinkFollow }).node);
  }

  [Symbol.dispose]() {
    const stream = this.#stream;
    this.#stream = undefined;
    if (stream) this.attempt(() => this.#folder.streamOps.close(stream));
  }

  #file(): Stream {
    return this.#stream ??
      fail(typeOf(this.#node) === "directory" ? "EISDIR" : "EBADF");
  }

  #tried(path: string, flags: DescriptorFlags) {
    const kind = flags.write ? "write" as const : "read" as const;
    return { kind, path: this.#hostPath(path) };
  }

  /** The path on this machine that a path of the component's stands for. */
  #hostPath(path: string): string {
    return [this.#mount.host, ...this.#place, path]
      .filter((part) => part !== "" && part !== ".").join("/");
  }

  #statOf(node: Node) {
    return this.attempt(() => {
      const found = this.#folder.nodeOps.getattr(node);
      return {
        type: typeOf(node),
        linkCount: BigInt(found.nlink),
        size: BigInt(found.size),
        dataAccessTimestamp: toTime(found.atime),
        dataModificationTimestamp: toTime(found.mtime),
        statusChangeTimestamp: toTime(found.ctime),
      };
    });
  }

  #hashOf(node: Node) {
    return this.attempt(() => {
      const { ino, mtime } = this.#folder.nodeOps.getattr(node);
      return { upper: BigInt(ino), lower: BigInt(+mtime) };
    });
  }

  #change(
    path: string,
    step: (at: { parent: Node; name: string }) => void,
  ): void {
    const tried = { kind: "write" as const, path: this.#hostPath(path) };
    this.attempt(() => step(this.#walker.parentOf(path)), tried);
  }

  #make(path: string) {
    const { parent, name, place } = this.#walker.parentOf(path);
    const node = this.#folder.nodeOps.mknod(parent, name, FILE | 0o666);
    return { node, place: [...place, name] };
  }

  #walk(path: string, { follow = false }: { follow?: boolean | undefined }) {
    const tried = { kind: "read" as const, path: this.#hostPath(path) };
    return this.attempt(() => this.#walker.follow(path, follow), tried);
  }

  /** Calls a step; what it throws becomes a code of WASI. */
  protected attempt<T>(
    step: () => T,
    tried?: { kind: "read" | "write"; path: string },
  ): T {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof ErrnoError)) throw error;
      const code = BY_NUMBER.get(error.errno) ?? "io";
      const isDenied = ["access", "read-only", "not-permitted"].includes(code);
      if (tried && isDenied) this.context.onDenied(tried.kind, tried.path);
      throw code;
    }
  }
}
