import type { InstalledPackage } from "../requirements/installed_package.ts";
import { decodePacket, type Packet, readPackets } from "../protocol/packets.ts";
import { MIB } from "../units.ts";
import {
  type Base,
  baseFiles,
  snapshotFiles,
  WITHOUT_PACKAGES,
} from "./base.ts";
import { withoutCredentials } from "../requirements/credentials.ts";
import {
  Draft,
  type Environment,
  environmentFolder,
  toId,
} from "../environments/environment.ts";
import { inCache } from "../environments/in_cache.ts";
import {
  type ChosenPackage,
  type InstallEvent,
  type InstallOrder,
  parsePreloadAnswer,
  type PreloadAnswer,
  type PreloaderSaid,
  type PreloadWanted,
} from "../environments/phase_1/messages.ts";
import { copyLinked, unlink } from "./linked_files.ts";
import type { Resolver } from "./resolver.ts";
import type { Queue } from "../protocol/channel.ts";

/** Calls of an install that goes on. */
export interface InstallCalls {
  report(event: InstallEvent): void;
  preload(wanted: PreloadWanted): Promise<PreloadResult>;
}

/** @throws {UserError} If a package cannot be installed; the cache then has no more than new wheels. */
export async function installPackages(
  order: InstallOrder,
  base: Base,
  resolver: Resolver,
  { id, packages: chosen }: ChosenEnvironment,
  { report, preload }: InstallCalls,
): Promise<Environment> {
  const files = await toDownload(order, resolver, chosen);
  report({ type: "downloads", files });
  const packages = await unpackAll(order, resolver, chosen, report);
  report({ type: "step", text: "Compiling" });
  const all = await resolver.job.call({ call: "collect" });
  const written = await baseFiles(base, all);
  await using draft = new Draft(environmentFolder(order.cacheDir, id));
  await inCache(order, async () => {
    await draft.write(written);
    await copyLinked(base.environment, draft);
  });
  const requested = chosen.filter((one) => one.requested)
    .map(({ name }) => name);
  // These import others as needed.
  const modules = packages.filter(({ name }) => requested.includes(name))
    .flatMap(({ imports }) => imports.filter((name) => !name.startsWith("_")));
  report({ type: "step", text: `Importing ${modules.join(", ")}` });
  const made = await preload({ environment: draft.folder, modules });
  const { preloaded } = made;
  const imports = preloaded.whilePreparing.map(({ module }) => module);
  for (const { module, reason } of preloaded.broken) {
    const text = `${module} is installed, and cannot be imported: ${reason}`;
    report({ type: "warning", text });
  }
  const environment = await inCache(order, async () => {
    if (made.unlinked !== undefined) await unlink(draft, made.unlinked);
    const snapshot = made.index
      ? { ...made.index, bytes: made.bytes }
      : { ...base.snapshot, ...WITHOUT_PACKAGES };
    await draft.write(snapshotFiles({ ...snapshot, imports }));
    return await draft.publish({
      requested,
      engine: order.engine,
      python: base.python,
      packages,
      preloaded,
    });
  });
  const count = packages.length;
  const text = `Installed ${count} package${count === 1 ? "" : "s"}`;
  report({ type: "step", text });
  return environment;
}

async function toDownload(
  order: InstallOrder,
  { store }: Resolver,
  chosen: ChosenPackage[],
): Promise<{ file: string; size?: number }[]> {
  const isStored = await inCache(
    order,
    () => Promise.all(chosen.map((one) => store.has(one))),
  );
  return chosen.filter((_, at) => !isStored[at])
    .map(({ file, size }) => size === undefined ? { file } : { file, size });
}

/** Downloads the packages side by side, and unpacks them in order. */
async function unpackAll(
  order: InstallOrder,
  { job, store }: Resolver,
  chosen: ChosenPackage[],
  report: (event: InstallEvent) => void,
): Promise<InstalledPackage[]> {
  const count = chosen.length;
  const downloads = chosen.map((one) => inCache(order, () => store.get(one)));
  // The loop below throws the error of the first package that fails.
  for (const download of downloads) download.catch(() => {});
  const packages: InstalledPackage[] = [];
  for (const [at, one] of chosen.entries()) {
    const { name, version, file, place } = one;
    report({ type: "package", name, number: at + 1, count });
    await downloads[at];
    const { sha256, body } = await inCache(order, () => store.read(one));
    const { url } = withoutCredentials(one.url);
    const call = { call: "unpack", file, place, bytes: body } as const;
    const { imports } = await job.call(call);
    packages.push({ name, version, imports, file, url, sha256 });
  }
  return packages;
}

/** A package that no other can pass for. */
export type HashedPackage = ChosenPackage & { sha256: string };

/** The packages of an environment, and its id. */
interface ChosenEnvironment {
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

/** The ending of a process that said everything. */
const WELL = "code 0";

export type PreloadResult = PreloadAnswer & { bytes: Uint8Array };

/** Reads a preloader's output, which comes in pieces; then how the process ended. */
export async function readPreloadResult(
  packets: Pick<Queue<Packet>, "next">,
  { modules }: PreloadWanted,
): Promise<PreloadResult> {
  let ended = "";
  const pieces = async function* () {
    while (ended === "") {
      const packet = await packets.next();
      if (packet.body) yield packet.body;
      else ended = (decodePacket(packet) as PreloaderSaid).ended ?? "lost";
    }
  };
  let said: Packet | undefined;
  try {
    for await (const packet of readPackets(pieces(), MOST_SAID)) {
      said ??= packet;
    }
  } catch {
    // A package has had the process say more than it may.
    said = undefined;
    for await (const _ of pieces());
  }
  if (said) {
    const answer = parsePreloadAnswer(decodePacket(said));
    if (ended === WELL || !answer.index) {
      return { ...answer, bytes: said.body ?? new Uint8Array() };
    }
  }
  const reason = `The process that imports packages ended (${ended}).`;
  const broken = modules.map((module) => ({ module, reason }));
  const preloaded = { modules: [], whilePreparing: [], broken };
  return { preloaded, bytes: new Uint8Array() };
}

/** The answer of a preloader, and its snapshot. */
const MOST_SAID = { line: 64 * MIB, body: 1024 * MIB };
