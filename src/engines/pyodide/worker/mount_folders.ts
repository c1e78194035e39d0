import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import { folderFileSystem, systemAtWork } from "../../shared/mount_fs.ts";
import { mounting } from "./mounting.ts";

// Deno's `lstat` reads the global name `Deno` each time. The name exists while
// Deno works, when Python does not run.
mounting.door = { get: systemAtWork };

mounting.mount = ({ FS: fs }: PyodideInterface, mounts) => {
  for (const mount of mounts) {
    fs.mkdirTree(mount.guest);
    fs.mount(folderFileSystem(fs, mount), {}, mount.guest);
  }
};
