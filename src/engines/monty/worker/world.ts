import type { Mount } from "../../../grants/mounts.ts";
import type { MemoryTree } from "./memory_tree.ts";
import { MountTree } from "./mount_tree.ts";
import { fail } from "./os_error.ts";
import { toPlace } from "./place.ts";
import type { Entry, Place, Stat, Tree } from "./tree.ts";

interface Part {
  /** Where its root is. */
  root: Place;
  tree: Tree;
}

/** All that Python sees: files in memory, and the mounts at their paths among them. */
export class World implements Tree {
  #mounts: Part[];
  #memory: Part;

  constructor(memory: MemoryTree, mounts: readonly Mount[]) {
    this.#memory = { root: [], tree: memory };
    this.#mounts = mounts.map((mount) => {
      const root = toPlace(mount.guest);
      memory.addFolders(root);
      return { root, tree: new MountTree(mount) };
    });
  }

  stat(place: Place): Stat {
    const { tree, below } = this.#part(place);
    return tree.stat(below);
  }

  isLink(place: Place): boolean {
    const { tree, below } = this.#part(place);
    return tree.isLink(below);
  }

  list(place: Place): Entry[] {
    const { tree, below } = this.#part(place);
    return tree.list(below);
  }

  read(place: Place): Uint8Array {
    const { tree, below } = this.#part(place);
    return tree.read(below);
  }

  write(
    place: Place,
    bytes: Uint8Array<ArrayBuffer>,
    where: "over" | "behind",
  ): void {
    const { tree, below } = this.#part(place);
    tree.write(below, bytes, where);
  }

  makeFolder(place: Place): void {
    const { tree, below } = this.#part(place);
    tree.makeFolder(below);
  }

  removeFile(place: Place): void {
    const { tree, below } = this.#part(place);
    tree.removeFile(below);
  }

  removeFolder(place: Place): void {
    const { tree, below } = this.#part(place);
    tree.removeFolder(below);
  }

  rename(from: Place, to: Place): void {
    const [source, target] = [this.#part(from), this.#part(to)];
    if (source.tree !== target.tree) {
      source.tree.stat(source.below);
      fail("EXDEV");
    }
    source.tree.rename(source.below, target.below);
  }

  resolve(place: Place): Place {
    const { root, tree, below } = this.#part(place);
    return [...root, ...tree.resolve(below)];
  }

  #part(place: Place): Part & { below: Place } {
    const part =
      this.#mounts.find(({ root }) =>
        root.every((name, at) => name === place[at])
      ) ?? this.#memory;
    return { ...part, below: place.slice(part.root.length) };
  }
}
