import { dirname } from "node:path";
import { reasonOf } from "../../errors.ts";
import { log, writeAll } from "../../log.ts";

/** Lines that are kept. */
const MOST = 1000;

/** The lines that a user typed, the last first, in a file for this user alone. */
export class History implements Disposable {
  readonly lines: string[] = [];
  #file: Deno.FsFile | undefined;

  /** @param path Of the file; undefined if none is kept. */
  constructor(path?: string) {
    if (path === undefined) return;
    try {
      this.#open(path);
    } catch (error) {
      log(`Keeping no history in ${path}: ${reasonOf(error)}`);
    }
  }

  add(line: string): void {
    if (line.trim() === "" || line === this.lines[0]) return;
    this.lines.unshift(line);
    if (this.#file) writeLines(this.#file, [line]);
  }

  [Symbol.dispose](): void {
    this.#file?.close();
  }

  #open(path: string): void {
    Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Other prompts may append to it.
    const file = this.#file = Deno.openSync(path, {
      read: true,
      append: true,
      create: true,
      mode: 0o600,
    });
    if (Deno.build.os !== "windows") Deno.chmodSync(path, 0o600);
    const all = Deno.readTextFileSync(path).split("\n").filter(Boolean);
    const last = all.slice(-MOST);
    this.lines.push(...last.toReversed());
    if (all.length <= 2 * MOST) return;
    file.truncateSync();
    writeLines(file, last);
  }
}

function writeLines(file: Deno.FsFile, lines: readonly string[]): void {
  const text = lines.map((line) => `${line}\n`).join("");
  writeAll(file, new TextEncoder().encode(text));
}
