import type {
  InstallOrder,
  LocalFile,
} from "../environments/installer_messages.ts";
import type { Origins } from "../environments/origins.ts";
import type { StoredFile } from "./wheel_store.ts";

/** What the cache offers a project, by the source that it stands for. */
export interface Offered {
  /** Wheels whose hash the project names; where they came from does not matter. */
  pinned: LocalFile[];
  dist: LocalFile[];
  indexes: LocalFile[][];
}

/**
 * Chooses the wheels of the cache that are of a project's own sources: another
 * project's private package must not pass for this one's.
 */
export function offerCached(
  files: StoredFile[],
  { hashes }: Pick<InstallOrder, "hashes">,
  { dist, indexes }: Origins,
): Offered {
  const from = (id: string) =>
    files.filter(({ origins }) => origins.includes(id)).map(toLocalFile);
  return {
    pinned: files.filter(({ sha256 }) => hashes.includes(sha256))
      .map(toLocalFile),
    dist: from(dist),
    indexes: indexes.map(from),
  };
}

function toLocalFile({ filename, url, sha256 }: StoredFile): LocalFile {
  return { filename, url, hashes: { sha256 } };
}
