import type {
  InstallOrder,
  LocalFile,
} from "../environments/installer_messages.ts";
import type { Origins } from "../environments/origins.ts";
import type { StoredFile } from "./wheel_store.ts";

export interface Offered {
  /** Wheels whose hash the project names, from whatever source. */
  pinned: LocalFile[];
  dist: LocalFile[];
  indexes: LocalFile[][];
}

/** Chooses the wheels of a project's own sources: another project's private package must not pass for its own. */
export function offerCached(
  files: StoredFile[],
  { hashes }: Pick<InstallOrder, "hashes">,
  { dist, indexes }: Origins,
): Offered {
  const from = (id: string) =>
    files.filter(({ origins }) => origins.includes(id)).map(toLocalFile);
  const pinned = files.filter(({ sha256 }) => hashes.includes(sha256));
  return {
    pinned: pinned.map(toLocalFile),
    dist: from(dist),
    indexes: indexes.map(from),
  };
}

function toLocalFile({ filename, url, sha256 }: StoredFile): LocalFile {
  return { filename, url, hashes: { sha256 } };
}
