import type { Hash } from "node:crypto";
import { dirname } from "node:path";
import { ignoreAbsent, startSha256, syncFolder } from "../disk.ts";
import { writeAll as writeAllSync } from "../log.ts";
import type { Facts } from "../protocol/keeper_messages.ts";
import { MIB } from "../units.ts";
import { encodeHead, factsOf, type Head, NO_HASH } from "./value_file.ts";

/** Names of values that are being written, or were, when their process was killed. */
export const DRAFT =
  /^[0-9a-f]{32}\.[a-z]+\.[0-9a-f]{32}\.[0-9a-f-]{36}\.draft$/;

/** Bytes after which the disk begins to write, so that the end waits for few. */
const FLUSHED = 8 * MIB;

/** A value that is being written beside its place. */
export class Draft {
  readonly #sum: Hash = startSha256();
  #written = 0;
  #unflushed = 0;
  #isOpen = true;

  private constructor(
    private head: Head,
    readonly path: string,
    private draft: string,
    private file: Deno.FsFile,
    /** Bytes before the value. */
    private begin: number,
    private size: number | undefined,
  ) {}

  /**
   * @param path The place of the value's file.
   * @param size Bytes that it is to have; undefined if they are not known.
   */
  static async open(
    path: string,
    facts: Omit<Head, "sha256" | "bytes">,
    size?: number,
  ): Promise<Draft> {
    const bytes = size ?? Number.MAX_SAFE_INTEGER;
    const head = { ...facts, bytes, sha256: NO_HASH };
    const place = path.replace(/value$/, () => `${crypto.randomUUID()}.draft`);
    const options = { write: true, createNew: true, mode: 0o600 };
    const file = await Deno.open(place, options);
    const start = encodeHead(head);
    const draft = new Draft(head, path, place, file, start.length, size);
    try {
      writeAllSync(file, start);
    } catch (error) {
      await draft.abort();
      throw error;
    }
    return draft;
  }

  /** Bytes of the value so far. */
  get written(): number {
    return this.#written;
  }

  /** Bytes of its file, as far as they are known. */
  get bytes(): number {
    return this.begin + (this.size ?? this.#written);
  }

  get facts(): Facts {
    return factsOf(this.head);
  }

  /** @throws {RangeError} If there are more bytes than were announced. */
  append(bytes: Uint8Array): void {
    if (this.#written + bytes.length > (this.size ?? Infinity)) {
      throw new RangeError(
        `it has more than the ${this.size} bytes that were announced`,
      );
    }
    this.#written += bytes.length;
    this.#sum.update(bytes);
    writeAllSync(this.file, bytes);
    this.#unflushed += bytes.length;
    if (this.#unflushed < FLUSHED) return;
    this.#unflushed = 0;
    // Its failure is that of the last one, too.
    this.file.syncData().catch(() => {});
  }

  /** Has the disk keep it, whole, beside its place. */
  async finish(): Promise<void> {
    if (this.#written < (this.size ?? 0)) {
      throw new RangeError(
        `it has ${this.#written} of the ${this.size} bytes that were announced`,
      );
    }
    const sha256 = this.#sum.digest("hex");
    this.head = { ...this.head, bytes: this.#written, sha256 };
    await this.file.seek(0, Deno.SeekMode.Start);
    writeAllSync(this.file, encodeHead(this.head, this.begin));
    await this.file.sync();
    this.#close();
  }

  /**
   * Puts it in its place, once it is finished.
   *
   * @param used The time of the value's last use, for those that may be dropped.
   */
  async publish(used?: number): Promise<void> {
    await Deno.rename(this.draft, this.path);
    // A draft of that time would pass for that of a process that was killed.
    if (used !== undefined) {
      const time = new Date(used);
      await Deno.utime(this.path, time, time).catch(ignoreAbsent);
    }
    await syncFolder(dirname(this.path));
  }

  /** Removes it, if it is not in its place. */
  async abort(): Promise<void> {
    this.#close();
    await Deno.remove(this.draft).catch(ignoreAbsent).catch(() => {});
  }

  #close(): void {
    if (this.#isOpen) this.file.close();
    this.#isOpen = false;
  }
}
