import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import type { PackageImage } from "../../../protocol/messages.ts";
import { offerLibraries } from "./libraries.ts";

/** Puts the environment's files in their places, without copying them. */
export function mountPackages(
  python: PyodideInterface,
  { files, contents }: PackageImage,
): void {
  const made = new Set<string>();
  let offset = 0;
  for (const [path, length] of files) {
    const target = `/${path}`;
    const folder = target.slice(0, target.lastIndexOf("/"));
    if (!made.has(folder)) {
      python.FS.mkdirTree(folder);
      made.add(folder);
    }
    python.FS.writeFile(target, contents.subarray(offset, offset += length), {
      canOwn: true,
    });
  }
  offerLibraries(python, files.map(([path]) => `/${path}`));
}

/** Where packages live in this interpreter. */
export function sitePackages(python: PyodideInterface): string {
  return python.runPython("import site; site.getsitepackages()[0]");
}
