import { randomUUID } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { UserError } from "../errors.ts";
import { sweepDrafts, WHEEL_DRAFT } from "../environments/drafts.ts";
import { ignoreAbsent, sha256, startSha256, writeAll } from "../disk.ts";
import { Semaphore } from "../semaphore.ts";
import { inCache } from "../environments/in_cache.ts";
import { type Caches, cachesOf } from "../environments/wanted_environment.ts";
import type {
  InstallEvent,
  WheelAddress,
} from "../environments/phase_1/messages.ts";
import { type Answer, type Open, troubleOf, withRetries } from "./downloads.ts";
import { NOTE, noteOrigin } from "../environments/origins.ts";

const AT_A_TIME = 8;

export interface StoredWheel {
  path: string;
  sha256: string;
  size: number;
}

/** A file of the store, with the ids of the sources that are noted as having it. */
export interface StoredFile {
  filename: string;
  url: string;
  sha256: string;
  origins: string[];
}

export interface StoreOptions {
  open: Open;
  report: (event: InstallEvent) => void;
  /** Ids of the sources that may be noted for a wheel. */
  origins: readonly string[];
}

/** Wheels in the cache, by their hashes: each whole, and shared by all environments. */
export class WheelStore {
  #cacheDir: string;
  /** Takes new wheels. */
  #folder: string;
  /** Those that are read. */
  #folders: string[];
  #options: StoreOptions;
  #swept: Promise<void> | undefined;
  #damaged = new Set<string>();
  #known = new Map<string, Promise<StoredWheel>>();
  #downloads = new Semaphore(AT_A_TIME);

  constructor(caches: Caches, options: StoreOptions) {
    this.#cacheDir = caches.cacheDir;
    this.#folders = cachesOf(caches).map((folder) => join(folder, "wheels"));
    this.#folder = join(this.#cacheDir, "wheels");
    this.#options = options;
  }

  /** Whether a wheel is in the store; false for a wheel whose hash is not known. */
  async has({ sha256, file }: WheelAddress): Promise<boolean> {
    return Boolean(sha256 && await this.#find(sha256, file));
  }

  async list(): Promise<StoredFile[]> {
    const files: StoredFile[] = [];
    for (const folder of await this.#listFolders()) {
      const sha256 = basename(folder);
      if (!/^[0-9a-f]{64}$/.test(sha256)) continue;
      const names = await namesIn(folder);
      const origins = names.flatMap((name) => NOTE.exec(name)?.[1] ?? []);
      for (const filename of names.filter((name) => !NOTE.test(name))) {
        const { href: url } = pathToFileURL(join(folder, filename));
        files.push({ filename, url, sha256, origins });
      }
    }
    return files;
  }

  async #listFolders(): Promise<string[]> {
    const inFolders = this.#folders.map(async (folder) =>
      (await namesIn(folder)).map((name) => join(folder, name))
    );
    return (await Promise.all(inFolders)).flat();
  }

  /** @throws {UserError} If the wheel cannot be downloaded, or has another hash. */
  async read(wheel: WheelAddress): Promise<StoredWheel & { body: Uint8Array }> {
    // That of each cache may be damaged; then it is downloaded.
    for (let tries = this.#folders.length;; tries--) {
      const stored = await this.get(wheel);
      const body = await Deno.readFile(stored.path);
      if (sha256(body) === stored.sha256) return { ...stored, body };
      this.#damaged.add(stored.path);
      // Fails in a cache that is only read.
      await Deno.remove(stored.path).catch(() => {});
      this.#known.delete(keyOf(wheel));
      if (tries === 0 || wheel.url === pathToFileURL(stored.path).href) {
        throw new UserError(
          `Cannot use ${wheel.file} as it is damaged in the cache. Start once without --offline.`,
        );
      }
    }
  }

  /** Puts a wheel into the store, downloads it at most once, and notes its source. */
  async get(wheel: WheelAddress): Promise<StoredWheel> {
    const { origin } = wheel;
    const key = keyOf(wheel);
    const known = this.#known.get(key) ?? this.#findOrFetch(wheel);
    this.#known.set(key, known);
    const stored = await known;
    // Even if the wheel was found: this source has it, too.
    if (typeof origin === "string" && this.#options.origins.includes(origin)) {
      await noteOrigin(join(this.#folder, stored.sha256), origin);
    }
    return stored;
  }

  async #findOrFetch(wheel: WheelAddress): Promise<StoredWheel> {
    const found = wheel.sha256 && await this.#find(wheel.sha256, wheel.file);
    if (found) return found;
    using _place = await this.#downloads.take();
    try {
      return await withRetries(() => this.#download(wheel));
    } catch (error) {
      if (error instanceof UserError) throw error;
      throw new UserError(
        `Cannot download ${wheel.file} from ${hostOf(wheel.url)}: ${
          troubleOf(error)
        }. Try again, or name another source.`,
      );
    }
  }

  async #find(
    sha256: string,
    file: string,
  ): Promise<StoredWheel | undefined> {
    for (const folder of this.#folders) {
      const path = join(folder, sha256, file);
      const info = await Deno.stat(path).catch(ignoreAbsent);
      if (info && !this.#damaged.has(path)) {
        return { path, sha256, size: info.size };
      }
    }
  }

  async #download(wheel: WheelAddress): Promise<StoredWheel> {
    const { file } = wheel;
    const { open, report } = this.#options;
    await using answer = await open(wheel.url);
    if (answer.status !== 200) {
      throw new Error(`it answered with status ${answer.status}`);
    }
    const cache = { cacheDir: this.#cacheDir };
    await inCache(cache, () => this.#swept ??= this.#prepareFolder());
    const draft = join(this.#folder, `${randomUUID()}.tmp`);
    try {
      const options = { ...cache, path: draft, report };
      const { size, sha256 } = await writeWheel(answer, wheel, options);
      const path = join(this.#folder, sha256, file);
      await inCache(cache, async () => {
        await Deno.mkdir(dirname(path), { recursive: true });
        await Deno.rename(draft, path);
        this.#damaged.delete(path);
      });
      const local = new URL(wheel.url).protocol === "file:";
      report({ type: "downloaded", file, size, local });
      return { path, sha256, size };
    } catch (error) {
      await Deno.remove(draft).catch(() => {});
      throw error;
    }
  }

  async #prepareFolder(): Promise<void> {
    await Deno.mkdir(this.#folder, { recursive: true });
    await sweepDrafts(this.#folder, WHEEL_DRAFT);
  }
}

/** An index may name an address twice, with different hashes. */
function keyOf({ url, sha256 }: WheelAddress): string {
  return `${sha256 ?? ""} ${url}`;
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder))
    .catch(ignoreAbsent);
  return entries?.map(({ name }) => name) ?? [];
}

function hostOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return protocol === "file:" ? pathname : host;
}

const LARGEST_WHEEL = 2 ** 31;
const REPORT_MS = 100;

/** Writes a download to a new file of the cache; throws if its hash differs, or it is too large. */
export async function writeWheel(
  { body, size: told }: Pick<Answer, "body" | "size">,
  { file, size: total, sha256: expected }: WheelAddress,
  { cacheDir, path, report }: {
    cacheDir: string;
    path: string;
    report: (event: InstallEvent) => void;
  },
): Promise<{ size: number; sha256: string }> {
  const intoCache = <T>(work: () => Promise<T>) => inCache({ cacheDir }, work);
  using draft = await intoCache(() =>
    Deno.open(path, { write: true, createNew: true })
  );
  // The size that an index names may lower the bound, and never raises it.
  const most = Math.min(total ?? LARGEST_WHEEL, LARGEST_WHEEL);
  const hash = startSha256();
  let received = 0;
  let reported = 0;
  for await (const piece of body) {
    received += piece.length;
    if (received > most) {
      throw new RangeError(`it is larger than ${most} bytes`);
    }
    hash.update(piece);
    await intoCache(() => writeAll(draft, piece));
    if (performance.now() - reported < REPORT_MS) continue;
    reported = performance.now();
    const known = total ?? told;
    report({
      type: "download",
      file,
      received,
      ...(known ? { total: known } : {}),
    });
  }
  const sha256 = hash.digest("hex");
  if (expected && sha256 !== expected) {
    throw new UserError(
      `Cannot trust ${file}: its sha256 is ${sha256}, and should be ${expected}. Try again, or name another source.`,
    );
  }
  return { size: received, sha256 };
}
