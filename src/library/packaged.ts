/** The program's files, as a package of a registry carries them. */
export interface Packaged {
  /** Differs between any two programs. */
  id: string;
  /** Contents by path, with `/` between the names; of wheels, as base64. */
  files(): Promise<Readonly<Record<string, string>>>;
}

/**
 * Undefined in the repository, whose program is in the folders around. The build
 * of a package writes this file anew: `scripts/build/library.ts`.
 */
export const PACKAGED: Packaged | undefined = undefined;
