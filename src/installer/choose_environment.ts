import { toId } from "../environments/environment.ts";
import { inCache } from "../environments/in_cache.ts";
import type { InstallOrder } from "../environments/installer_messages.ts";
import type { ChosenPackage } from "../environments/parse_installer_messages.ts";
import type { Resolver } from "./resolver.ts";

/** A package that no other can pass for. */
export type HashedPackage = ChosenPackage & { sha256: string };

/** The packages of an environment, and its id. */
export interface ChosenEnvironment {
  id: string;
  packages: HashedPackage[];
}

/**
 * Chooses packages for an order; orders for which the same are chosen share an
 * environment.
 *
 * @throws {UserError} If the requirements cannot be met.
 */
export async function chooseEnvironment(
  order: InstallOrder,
  { choose, store }: Pick<Resolver, "choose" | "store">,
): Promise<ChosenEnvironment> {
  const packages = await Promise.all(
    (await choose()).map(async (one) => {
      const { sha256 } = one.sha256
        ? { sha256: one.sha256 }
        : await inCache(order, () => store.get(one));
      return { ...one, sha256 };
    }),
  );
  return { id: toEnvironmentId(order.baseId, packages), packages };
}

/** A hash of all that the files of an environment depend on. */
export function toEnvironmentId(
  baseId: string,
  packages: HashedPackage[],
): string {
  const identities = packages.map((
    { name, version, place, sha256, requested },
  ) => [name, version, place, sha256, requested]);
  return toId([baseId, identities]);
}
