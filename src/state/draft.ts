import { createHash, type Hash } from "node:crypto";
import { dirname } from "node:path";
import { encodeHead, type Head, NO_HASH } from "./value_file.ts";
import { ignoreAbsent } from "./open_value.ts";

/** Names of values that are being written, or were, when their process was killed. */
export const DRAFT =
  /^[0-9a-f]{32}\.[a-z]+\.[0-9a-f]{32}\.[0-9a-f-]{36}\.draft$/;

/** A value that is being written beside its place. */
export class Draft {
  readonly #sum: Hash = createHash("sha256");
  #written = 0;
  #isOpen = true;

  private constructor(
    readonly head: Head,
    readonly path: string,
    private draft: string,
    private file: Deno.FsFile,
  ) {}

  /** @param path The place of the value's file. */
  static async open(path: string, facts: Omit<Head, "sha256">): Promise<Draft> {
    const head = { ...facts, sha256: NO_HASH };
    const place = path.replace(
      /value$/,
      () => `${crypto.randomUUID()}.draft`,
    );
    const options = { write: true, createNew: true, mode: 0o600 };
    const file = await Deno.open(place, options);
    const draft = new Draft(head, path, place, file);
    try {
      await writeAll(file, encodeHead(head));
    } catch (error) {
      await draft.abort();
      throw error;
    }
    return draft;
  }

  /** Bytes that are still to come. */
  get left(): number {
    return this.head.bytes - this.#written;
  }

  /** @throws {RangeError} If there are more bytes than its head says. */
  async append(bytes: Uint8Array): Promise<void> {
    if (bytes.length > this.left) {
      throw new RangeError(
        `it has more than the ${this.head.bytes} bytes that were announced`,
      );
    }
    this.#written += bytes.length;
    this.#sum.update(bytes);
    await writeAll(this.file, bytes);
  }

  /** Puts it in its place, whole even if the machine stops. */
  async publish(): Promise<void> {
    if (this.left > 0) {
      throw new RangeError(
        `it has ${this.#written} of the ${this.head.bytes} bytes that were announced`,
      );
    }
    await this.file.seek(0, Deno.SeekMode.Start);
    const sha256 = this.#sum.digest("hex");
    await writeAll(this.file, encodeHead({ ...this.head, sha256 }));
    await this.file.sync();
    this.#close();
    await Deno.rename(this.draft, this.path);
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

/** Has the disk keep the folder's new names, where the system can. */
async function syncFolder(path: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  using folder = await Deno.open(path);
  await folder.sync();
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += await file.write(bytes.subarray(at));
  }
}
