import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { UserError } from "../errors.ts";
import { sweepDrafts, WHEEL_DRAFT } from "./drafts.ts";
import { sha256 } from "./environment.ts";
import type { InstallEvent } from "./events.ts";
import type { LocalFile, WheelAddress } from "./messages.ts";
import type { Answer, Open } from "./network.ts";
import { troubleOf, withRetries } from "./retry.ts";

const LARGEST_WHEEL = 2 ** 31;
const REPORT_MS = 100;
const AT_A_TIME = 8;

/** A file of the store, as it is there. */
export interface StoredWheel {
  path: string;
  sha256: string;
  size: number;
}

/**
 * Wheels in the cache, by what they hash to: shared by all environments.
 *
 * A file is there whole, or not at all.
 */
export class WheelStore {
  #folder: string;
  #open: Open;
  #report: (event: InstallEvent) => void;
  #swept: Promise<void> | undefined;
  #known = new Map<string, Promise<StoredWheel>>();
  #free = AT_A_TIME;
  #waiting: (() => void)[] = [];

  /**
   * @param cacheDir The cache folder.
   * @param open How to reach what is not there.
   * @param report Told of downloads.
   */
  constructor(
    cacheDir: string,
    open: Open,
    report: (event: InstallEvent) => void,
  ) {
    this.#folder = join(cacheDir, "wheels");
    this.#open = open;
    this.#report = report;
  }

  /** Whether a wheel is there; of one without a hash that is not known. */
  async has({ sha256, file }: WheelAddress): Promise<boolean> {
    return Boolean(sha256 && await this.#find(sha256, file));
  }

  /** All wheels that are there. */
  async list(): Promise<LocalFile[]> {
    const files: LocalFile[] = [];
    for await (const sha256 of namesIn(this.#folder)) {
      if (!/^[0-9a-f]{64}$/.test(sha256)) continue;
      for await (const filename of namesIn(join(this.#folder, sha256))) {
        const { href: url } = pathToFileURL(
          join(this.#folder, sha256, filename),
        );
        files.push({ filename, url, hashes: { sha256 } });
      }
    }
    return files;
  }

  /**
   * Gives a wheel's contents, downloaded if it is not there, and verified.
   *
   * @throws {UserError} If it cannot be had, or is not what it should be.
   */
  async read(wheel: WheelAddress): Promise<StoredWheel & { body: Uint8Array }> {
    const stored = await this.get(wheel);
    const body = await Deno.readFile(stored.path);
    if (sha256(body) === stored.sha256) return { ...stored, body };
    await Deno.remove(stored.path);
    this.#known.delete(wheel.url);
    if (wheel.url === pathToFileURL(stored.path).href) {
      throw new UserError(
        `Cannot use ${wheel.file} as it is damaged in the cache. Start once without --offline.`,
      );
    }
    return { ...await this.get(wheel), body: await Deno.readFile(stored.path) };
  }

  /** Has a wheel in the store, downloaded once. */
  get(wheel: WheelAddress): Promise<StoredWheel> {
    const known = this.#known.get(wheel.url) ?? this.#findOrFetch(wheel);
    this.#known.set(wheel.url, known);
    return known;
  }

  async #findOrFetch(wheel: WheelAddress): Promise<StoredWheel> {
    const found = wheel.sha256 && await this.#find(wheel.sha256, wheel.file);
    if (found) return found;
    await this.#enter();
    try {
      return await withRetries(() => this.#download(wheel));
    } catch (error) {
      if (error instanceof UserError) throw error;
      throw new UserError(
        `Cannot download ${wheel.file} from ${hostOf(wheel.url)}: ${
          troubleOf(error)
        }. Try again, or name another source.`,
      );
    } finally {
      this.#free++;
      this.#waiting.shift()?.();
    }
  }

  async #find(
    sha256: string,
    file: string,
  ): Promise<StoredWheel | undefined> {
    const path = join(this.#folder, sha256, file);
    try {
      return { path, sha256, size: (await Deno.stat(path)).size };
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  async #download(wheel: WheelAddress): Promise<StoredWheel> {
    const { file } = wheel;
    const answer = await this.#open(wheel.url);
    if (answer.status !== 200) {
      await answer.body[Symbol.asyncIterator]().return?.();
      throw new Error(`it answered with status ${answer.status}`);
    }
    await (this.#swept ??= this.#prepareFolder());
    const draft = join(this.#folder, `${randomUUID()}.tmp`);
    try {
      const { size, actual } = await this.#write(draft, answer, wheel);
      const folder = join(this.#folder, actual);
      await Deno.mkdir(folder, { recursive: true });
      await Deno.rename(draft, join(folder, file));
      this.#report({ type: "downloaded", file, size });
      return { path: join(folder, file), sha256: actual, size };
    } catch (error) {
      await Deno.remove(draft).catch(() => {});
      throw error;
    }
  }

  async #prepareFolder(): Promise<void> {
    await Deno.mkdir(this.#folder, { recursive: true });
    await sweepDrafts(this.#folder, WHEEL_DRAFT);
  }

  async #write(
    path: string,
    { body }: Answer,
    { file, size: total, sha256: expected }: WheelAddress,
  ): Promise<{ size: number; actual: string }> {
    const draft = await Deno.open(path, { write: true, createNew: true });
    const writer = draft.writable.getWriter();
    const hash = createHash("sha256");
    let received = 0;
    let told = 0;
    try {
      for await (const piece of body) {
        received += piece.length;
        if (received > (total ?? LARGEST_WHEEL)) {
          throw new RangeError(
            `it is larger than ${total ?? LARGEST_WHEEL} bytes`,
          );
        }
        hash.update(piece);
        await writer.write(piece);
        if (performance.now() - told < REPORT_MS) continue;
        told = performance.now();
        const known = total ? { total } : {};
        this.#report({ type: "download", file, received, ...known });
      }
    } finally {
      // All that was written is only there after this.
      await writer.close();
    }
    const actual = hash.digest("hex");
    if (expected && actual !== expected) {
      throw new UserError(
        `Cannot trust ${file}: its sha256 is ${actual}, and should be ${expected}. Try again, or another source.`,
      );
    }
    return { size: received, actual };
  }

  /** Waits until not too many download at a time. */
  async #enter(): Promise<void> {
    while (this.#free === 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#free--;
  }
}

async function* namesIn(folder: string): AsyncGenerator<string> {
  try {
    for await (const { name } of Deno.readDir(folder)) yield name;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function hostOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return protocol === "file:" ? pathname : host;
}
