import { join } from "node:path";
import { messageOf } from "../errors.ts";
import {
  type Facts,
  type FromState,
  LONGEST_TEXT,
  type Place,
  type Space,
  type ToState,
} from "../protocol/state_messages.ts";
import { maybeOpenValue, type OpenValue, verify } from "./open_value.ts";
import { listFiles } from "./room.ts";
import { factsOf, nameOf, ownerName } from "./value_file.ts";

/** The values in a folder, to be read. */
export class Values {
  #reported = new Set<string>();

  /** @param onDamage Told each file that cannot be read once, as a sentence. */
  constructor(
    private folder: string,
    private onDamage: (sentence: string) => void,
  ) {}

  /** The values of an owner that can be read; the others are reported. */
  async list(space: Space, owner: string): Promise<Facts[]> {
    const start = `${ownerName(owner)}.${space}.`;
    const entries: Facts[] = [];
    for (const { name } of listFiles(this.folder, start)) {
      try {
        using value = await maybeOpenValue(join(this.folder, name));
        if (value) entries.push(factsOf(value.head));
      } catch (error) {
        this.report(name, error);
      }
    }
    return entries.sort((one, other) => one.key < other.key ? -1 : 1);
  }

  async get(place: Place): Promise<FromState> {
    using value = await this.#open(place);
    if (!value) return { type: "absent" };
    const { head } = value;
    if (head.bytes > LONGEST_TEXT) {
      throw new RangeError(`it has ${head.bytes} bytes: read it in pieces`);
    }
    await verify(value);
    const bytes = await value.read(0, head.bytes);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(bytes);
    return { type: "found", facts: factsOf(head), text };
  }

  async read(request: ToState & { type: "read" }): Promise<FromState> {
    using value = await this.#open(request);
    if (!value) return { type: "absent" };
    const { revision, offset, length } = request;
    const facts = factsOf(value.head);
    if (revision !== undefined && revision !== facts.revision) {
      return { type: "conflict" };
    }
    // A file does not change: another write is another file.
    if (offset === 0) await verify(value);
    return { type: "piece", facts, bytes: await value.read(offset, length) };
  }

  async facts(place: Place): Promise<Facts | undefined> {
    using value = await this.#open(place);
    return value && factsOf(value.head);
  }

  pathOf(place: Place): string {
    return join(this.folder, nameOf(place));
  }

  report(name: string, error: unknown): void {
    if (this.#reported.has(name)) return;
    this.#reported.add(name);
    this.onDamage(
      `Skipping the file "${name}" in "${this.folder}": ${messageOf(error)}.`,
    );
  }

  #open(place: Place): Promise<OpenValue | undefined> {
    return maybeOpenValue(this.pathOf(place));
  }
}
