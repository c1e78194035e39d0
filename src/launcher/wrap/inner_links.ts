// Symbolic links of granted folders. Deno compares a path as it is written, and then
// follows links wherever they lead.
import { dirname, join } from "node:path";
import { maybe, UserError } from "../../errors.ts";
import type { GuestPlaces } from "../../grants/policy_file/guest_places.ts";
import { isWithin, isWithinAny } from "../../grants/paths.ts";

/** More entries are not looked at: a home folder has some 100,000. */
const MOST_ENTRIES = 200_000;

const REMEDY =
  "Grant a smaller folder, or install bubblewrap, which closes links by itself (Linux).";

/**
 * Closes the links of granted folders: in a folder that is only read, those that do not
 * lead to a granted file, as a folder would have a second path, for which no denial
 * holds; in a writable folder all, as a moved link leads to another place.
 *
 * @throws {UserError} If the server could move what is to stay closed.
 */
export function closeLinks(places: GuestPlaces): GuestPlaces {
  const { mounts, writableMounts, deniedReads, deniedWrites } = places;
  const isOpen = (link: string) => {
    const to = maybe(() => Deno.realPathSync(link));
    return to !== undefined && !isWithinAny(link, writableMounts) &&
      isWithinAny(to, mounts) && !isWithinAny(to, deniedReads) &&
      maybe(() => Deno.statSync(to).isFile);
  };
  const count = { left: MOST_ENTRIES };
  const closed = [...new Set([...mounts, ...writableMounts])]
    .flatMap((root) => linksBelow(root, count))
    .filter((link) => !isOpen(link));
  const all = {
    ...places,
    deniedReads: [...new Set([...deniedReads, ...closed])],
    deniedWrites: [...new Set([...deniedWrites, ...closed])],
  };
  refuseMovable(all);
  return all;
}

function linksBelow(root: string, count: { left: number }): string[] {
  const info = maybe(() => Deno.lstatSync(root));
  if (!info?.isDirectory) return [];
  const links: string[] = [];
  const folders = [root];
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    for (const entry of maybe(() => [...Deno.readDirSync(folder!)]) ?? []) {
      if (--count.left < 0) {
        throw new UserError(
          `Cannot look for links in "${root}", which has more than ${MOST_ENTRIES} files. ${REMEDY}`,
        );
      }
      const path = join(folder, entry.name);
      if (entry.isSymlink) links.push(path);
      else if (entry.isDirectory) folders.push(path);
    }
  }
  return links;
}

/** With its folder moved, a path is another, for which no denial holds. */
function refuseMovable(
  { writableMounts, deniedReads, deniedWrites }: GuestPlaces,
): void {
  for (const path of [...deniedReads, ...deniedWrites]) {
    const root = writableMounts
      .find((folder) => isWithin(path, folder, Deno.build));
    if (root === undefined) continue;
    if (dirname(path) === root && writableMounts.length === 1) continue;
    throw new UserError(
      `Cannot keep "${path}" closed, as the server may move its folder: it writes to "${root}". ${REMEDY}`,
    );
  }
}
