import type { Mount } from "../../grants/mounts.ts";
import { FOLDER } from "../../engines/shared/emscripten_fs.ts";
import {
  type FolderFileSystem,
  folderFileSystem,
} from "../../engines/shared/mount_fs.ts";
import { PLAIN_NODES } from "../../engines/shared/plain_nodes.ts";
import {
  Descriptor,
  DirectoryEntryStream,
  type FilesContext,
} from "./descriptor.ts";
import {
  type DescriptorFlags,
  fail,
  isHere,
  type OpenFlags,
  type PathFlags,
  toTime,
} from "./file_words.ts";

/** A folder that shows some files of this machine, and is not one itself. */
export class Shelf extends Descriptor {
  #files = new Map<string, [Mount, FolderFileSystem]>();

  constructor(mount: Mount, context: FilesContext) {
    const node = PLAIN_NODES.createNode(null, "/", FOLDER | 0o555, 0);
    const at = { node, place: [], flags: { read: true } };
    super(mount, folderFileSystem(PLAIN_NODES, mount), at, context);
  }

  add(mount: Mount): void {
    const name = mount.guest.slice(mount.guest.lastIndexOf("/") + 1);
    this.#files.set(name, [mount, folderFileSystem(PLAIN_NODES, mount)]);
  }

  override openAt(
    _flags: PathFlags,
    path: string,
    how: OpenFlags,
    flags: DescriptorFlags,
  ): Descriptor {
    if (isHere(path)) return this;
    const [mount, folder] = this.#find(path);
    const kind = flags.write || how.truncate ? "write" : "read";
    return this.attempt(() => {
      if (how.create && how.exclusive) fail("EEXIST");
      if (how.directory) fail("ENOTDIR");
      const node = folder.mount();
      if (how.truncate) folder.nodeOps.setattr(node, { size: 0 });
      const at = { node, place: [], flags };
      return new Descriptor(mount, folder, at, this.context);
    }, { kind, path: mount.host });
  }

  override stat() {
    const never = toTime(new Date(0));
    return {
      ...{ type: "directory", linkCount: 1n, size: 0n },
      dataAccessTimestamp: never,
      dataModificationTimestamp: never,
      statusChangeTimestamp: never,
    };
  }

  override statAt(flags: PathFlags, path: string) {
    if (isHere(path)) return this.stat();
    const file = this.openAt(flags, path, {}, { read: true });
    try {
      return file.stat();
    } finally {
      file[Symbol.dispose]();
    }
  }

  override metadataHash() {
    return { upper: 0n, lower: 0n };
  }

  override metadataHashAt(flags: PathFlags, path: string) {
    if (isHere(path)) return this.metadataHash();
    const file = this.openAt(flags, path, {}, { read: true });
    try {
      return file.metadataHash();
    } finally {
      file[Symbol.dispose]();
    }
  }

  override readDirectory() {
    const names = [...this.#files.keys()];
    return new DirectoryEntryStream(
      names.map((name) => ({ name, type: "regular-file" })),
    );
  }

  override createDirectoryAt() {
    throw "not-permitted";
  }

  override removeDirectoryAt() {
    throw "not-permitted";
  }

  override unlinkFileAt() {
    throw "not-permitted";
  }

  override renameAt() {
    throw "not-permitted";
  }

  #find(path: string): [Mount, FolderFileSystem] {
    const found = this.#files.get(path.replace(/^\.\//, ""));
    if (found) return found;
    throw "no-entry";
  }
}
