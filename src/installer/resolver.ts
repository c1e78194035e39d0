import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf, reasonOf, UserError } from "../errors.ts";
import { RUNTIME_FILES } from "../engines/pyodide/versions.ts";
import type { Base } from "./base.ts";
import { withoutCredentials } from "../requirements/credentials.ts";
import { inCache } from "../environments/in_cache.ts";
import { openPythonJob } from "../environments/phase_1/python_job.ts";
import type {
  ChosenPackage,
  InstallEvent,
  InstallOrder,
  LocalFile,
  Plan,
  PlannedPackage,
  ResolverOrder,
} from "../environments/phase_1/messages.ts";
import { fetchPage, type Open, openDownloads, sizeOf } from "./downloads.ts";
import { type Origins, originsOf } from "../environments/origins.ts";
import { keepResolverStart, openResolverStart } from "./resolver_start.ts";
import { type StoredFile, WheelStore } from "./wheel_store.ts";

/** Chooses wheels; its store keeps them. */
export type Resolver = Awaited<ReturnType<typeof openResolver>>;

export async function openResolver(
  order: InstallOrder,
  base: () => Promise<Base>,
  report: (event: InstallEvent) => void,
) {
  const open = openDownloads(order.offline ? null : order.credentials);
  const origins = originsOf(order);
  const store = new WheelStore(order, {
    open,
    report,
    origins: [origins.dist, ...origins.indexes],
  });
  const { python, files } = await openResolverStart(order, base);
  const job = openPythonJob(files, {
    fetch: (...page) => fetchPage(open, ...page),
    async wheel(wheel) {
      try {
        const { sha256, body } = await inCache(order, () => store.read(wheel));
        return { sha256, body };
      } catch (error) {
        return { error: messageOf(error) };
      }
    },
    say: report,
  });
  if (files.own) await keepResolverStart(order, await base(), job);
  const wanted = await toResolverOrder(order, store, origins);
  /** @throws {UserError} If the requirements cannot be met. */
  const choose = async () => {
    report({ type: "step", text: `Resolving ${namesOf(order)}` });
    return (await job.call({ call: "plan", order: wanted })).packages;
  };
  return {
    job,
    store,
    choose,
    /** Chooses, and completes hashes and sizes for people to read. */
    async plan(): Promise<Plan> {
      const chosen = await choose();
      const packages = await inCache(
        order,
        () => complete(chosen, store, open),
      );
      return {
        python,
        engine: order.engine,
        requirements: order.requirements,
        packages: packages
          .map((one) => ({ ...one, url: withoutCredentials(one.url).url })),
      };
    },
    /** Asks each source whether it answers. */
    probe: async () =>
      (await job.call({ call: "probe", order: wanted })).sources,
    [Symbol.dispose]: () => job[Symbol.dispose](),
  };
}

function namesOf({ requirements, locked }: InstallOrder): string {
  if (locked) return `what ${basename(locked.path)} locks`;
  return requirements.join(", ");
}

/** Asks for the sizes that no source gave; downloads the packages without a hash. */
async function complete(
  packages: ChosenPackage[],
  store: WheelStore,
  open: Open,
): Promise<PlannedPackage[]> {
  return await Promise.all(packages.map(async (one) => {
    const cached = await store.has(one);
    if (one.sha256 && one.size !== undefined) return { ...one, cached };
    const { sha256, size } = one.sha256 && !cached
      ? { sha256: one.sha256, size: await sizeOf(open, one.url) }
      : await store.get(one);
    return { ...one, sha256, size, cached };
  }));
}

async function toResolverOrder(
  order: InstallOrder,
  store: WheelStore,
  origins: Origins,
): Promise<ResolverOrder> {
  const stored = await inCache(order, () => store.list());
  const { pinned, dist, indexes } = offerCached(stored, order, origins);
  const { requirements, constraints, locked = null, offline } = order;
  return {
    requirements,
    constraints,
    locked,
    offline,
    folders: await Promise.all(order.findLinks.map(listFolder)),
    stored: stored.map(({ sha256 }) => sha256),
    pinned,
    dist: {
      ...await openDistribution(order),
      origin: origins.dist,
      cached: dist,
    },
    indexes: order.indexes.map((url, at) => ({
      url,
      origin: origins.indexes[at] ?? "",
      cached: indexes[at] ?? [],
    })),
  };
}

async function listFolder(
  folder: string,
): Promise<{ label: string; files: LocalFile[] }> {
  const files: LocalFile[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const { href: url } = pathToFileURL(join(folder, name));
    if (!isDirectory) files.push({ filename: name, url });
  }
  return { label: folder, files };
}

/** The address and the lock file of the distribution, as far as they are known here. */
async function openDistribution(
  { dist, runtime }: InstallOrder,
): Promise<Pick<ResolverOrder["dist"], "url" | "lock">> {
  if (dist !== undefined && /^https?:/.test(dist)) {
    return { url: dist.endsWith("/") ? dist : `${dist}/`, lock: null };
  }
  const folder = dist ?? runtime.folder;
  const isThere = dist !== undefined || await hasWheels(folder);
  const url = isThere ? pathToFileURL(`${folder}/`).href : null;
  return { url, lock: await readLock(folder) };
}

/** Whether a folder has the packages of a distribution, not only its lock file. */
async function hasWheels(folder: string): Promise<boolean> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  return entries.some(({ name }) => name.endsWith(".whl"));
}

async function readLock(folder: string): Promise<string> {
  try {
    return await Deno.readTextFile(join(folder, RUNTIME_FILES.lock));
  } catch (error) {
    throw new UserError(
      `Cannot use the Pyodide distribution in ${folder}: ${
        reasonOf(error)
      }. Name a folder that has a ${RUNTIME_FILES.lock}.`,
    );
  }
}

/** Chooses the wheels of a project's own sources: another project's private package must not pass for its own. */
export function offerCached(
  files: StoredFile[],
  { hashes }: Pick<InstallOrder, "hashes">,
  { dist, indexes }: Origins,
) {
  const from = (id: string) =>
    files.filter(({ origins }) => origins.includes(id)).map(toLocalFile);
  // From whatever source.
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
