import type { Packaged } from "./unpack.ts";

/**
 * The program that a package carries. It is undefined in the repository, whose
 * program is in the folders around; the build of a package writes this file anew:
 * `scripts/build/library.ts`.
 */
export const PACKAGED: Packaged | undefined = undefined;
