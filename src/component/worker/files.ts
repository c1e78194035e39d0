// `wasi:filesystem` over the folders and files that a policy grants.
import type { Mount } from "../../grants/mounts.ts";
import { folderFileSystem } from "../../engines/shared/mount_fs.ts";
import { PLAIN_NODES } from "../../engines/shared/plain_nodes.ts";
import {
  Descriptor,
  DirectoryEntryStream,
  type FilesContext,
} from "./descriptor.ts";
import { Shelf } from "./shelf.ts";

/** A folder, or a file, that a component sees. */
export type GuestMount = Mount & { isFile?: true };

interface FilesOptions extends FilesContext {
  mounts: readonly GuestMount[];
}

/** `wasi:filesystem/preopens` and `/types` over some folders. */
export function openFiles({ mounts, streams, ...options }: FilesOptions) {
  /** Tells of what a line of the policy would grant: a denial beats each of these. */
  const onDenied: FilesOptions["onDenied"] = (kind, path) => {
    const isClosed = mounts.flatMap(({ denied = [] }) => denied)
      .some(({ host, access }) =>
        access.includes(kind) && (path === host || path.startsWith(`${host}/`))
      );
    const isOdd = /(^|\/)\.\.(\/|$)|\/\//.test(path);
    if (!isClosed && !isOdd) options.onDenied(kind, path);
  };

  const context = { streams, onDenied };
  const shelves = new Map<string, Shelf>();
  for (const mount of mounts.filter(({ isFile }) => isFile)) {
    const folder = mount.guest.slice(0, mount.guest.lastIndexOf("/")) || "/";
    const shelf = shelves.get(folder) ?? new Shelf(mount, context);
    shelves.set(folder, shelf);
    shelf.add(mount);
  }
  const folders = mounts.filter(({ isFile }) => !isFile);
  const preopened = folders.map((mount): [Descriptor, string] => {
    const folder = folderFileSystem(PLAIN_NODES, mount);
    const flags = {
      read: true,
      ...mount.isWritable && { write: true, mutateDirectory: true },
    };
    const at = { node: folder.mount(), place: [], flags };
    return [new Descriptor(mount, folder, at, context), mount.guest];
  });
  for (const [guest, shelf] of shelves) {
    // Of a folder that is granted itself, the files are there.
    if (!folders.some((mount) => mount.guest === guest)) {
      preopened.push([shelf, guest]);
    }
  }
  return {
    preopens: { getDirectories: () => preopened },
    types: {
      Descriptor,
      DirectoryEntryStream,
      filesystemErrorCode: () => undefined,
    },
  };
}
