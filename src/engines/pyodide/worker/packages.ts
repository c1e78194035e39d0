import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import { addFile, type Folder, imageFileSystem } from "./image_fs.ts";
import { offerLibraries } from "./libraries.ts";

/** Installed files: `contents` holds their bytes one after the other. */
export interface PackageImage {
  /** Paths below `/`, and lengths in bytes. */
  files: [path: string, length: number][];
  contents: Uint8Array;
}

/** The folders that hold nearly all files of an environment. */
const SHARED =
  /^(lib\/python[\d.]+\/site-packages|usr\/share\/zoneinfo)\/(.+)$/;

/** Mounts the environment's files at their paths; they are read on demand. */
export function mountPackages(
  python: Pick<PyodideInterface, "FS">,
  { files, contents }: PackageImage,
): void {
  const shared = new Map<string, Folder>();
  let offset = 0;
  for (const [path, length] of files) {
    const [, folder, rest] = SHARED.exec(path) ?? [];
    if (folder && rest) {
      const root = shared.getOrInsertComputed(folder, () => new Map());
      addFile(root, rest, { offset, length });
    } else {
      const bytes = contents.slice(offset, offset + length);
      python.FS.mkdirTree(`/${path.slice(0, path.lastIndexOf("/"))}`);
      python.FS.writeFile(`/${path}`, bytes, { canOwn: true });
    }
    offset += length;
  }
  for (const [folder, root] of shared) {
    const type = imageFileSystem(python.FS, root, contents);
    python.FS.mkdirTree(`/${folder}`);
    python.FS.mount(type, {}, `/${folder}`);
  }
  offerLibraries(python, files.map(([path]) => `/${path}`));
}

/** The folder of the standard library, which Python finds by a link. */
const STDLIB = "/lib/image";

/**
 * Puts the standard library in the place of the empty file that a restored start
 * has. All interpreters of a process share its bytes.
 */
export function mountStdlib(
  { FS }: Pick<PyodideInterface, "FS">,
  stdlib: Uint8Array,
): void {
  const names: string[] = FS.readdir("/lib");
  const name = names.find((name) => /^python\d+\.zip$/.test(name));
  if (name === undefined) {
    throw new Error("Cannot find the standard library in /lib");
  }
  const image: Folder = new Map([[name, { offset: 0, length: stdlib.length }]]);
  FS.mkdirTree(STDLIB);
  FS.mount(imageFileSystem(FS, image, stdlib), {}, STDLIB);
  FS.unlink(`/lib/${name}`);
  FS.symlink(`${STDLIB}/${name}`, `/lib/${name}`);
}

/** Writes this program's Python modules, by file name, into a package of this name. */
export function addModules(
  python: PyodideInterface,
  name: string,
  modules: Record<string, string>,
): void {
  const folder = `${sitePackages(python)}/${name}`;
  python.FS.mkdirTree(folder);
  for (const [file, source] of Object.entries(modules)) {
    python.FS.writeFile(`${folder}/${file}`, source);
  }
}

/** The folder of packages in this interpreter. */
export function sitePackages(python: PyodideInterface): string {
  return python.runPython("import site; site.getsitepackages()[0]");
}
