import { messageOf } from "../../errors.ts";
import type { SavedFunction } from "../../protocol/code_mode.ts";
import type { Kept } from "./kept.ts";

/** Owners whose functions are kept in memory. */
const MOST_OWNERS = 100;

type Read = SavedFunction & { revision: string };

/** The functions that clients have saved, read again when they have changed. */
export class SavedFunctions {
  /** By owner and name, the last used owner last. */
  #known = new Map<string, Map<string, Read>>();

  /** @param warn Told a sentence if the functions cannot be read. */
  constructor(
    private kept: Pick<Kept, "list" | "get">,
    private warn: (sentence: string) => void,
  ) {}

  /** The functions of an owner; none if they cannot be read. */
  async of(owner: string): Promise<SavedFunction[]> {
    try {
      return await this.#read(owner);
    } catch (error) {
      this.warn(`Running without saved functions: ${messageOf(error)}`);
      return [];
    }
  }

  async #read(owner: string): Promise<SavedFunction[]> {
    const before = this.#known.get(owner);
    const facts = await this.kept.list("tools", owner);
    const found = await Promise.all(
      facts.map(({ key, revision }) => {
        const known = before?.get(key);
        return known?.revision === revision ? known : this.#get(owner, key);
      }),
    );
    const read = found.filter((one) => one !== undefined);
    this.#remember(owner, read);
    return read.map(({ name, source }) => ({ name, source }));
  }

  /** Undefined if it was deleted meanwhile. */
  async #get(owner: string, key: string): Promise<Read | undefined> {
    const found = await this.kept.get("tools", owner, key);
    return found &&
      { name: key, source: found.text, revision: found.facts.revision };
  }

  #remember(owner: string, read: readonly Read[]): void {
    this.#known.delete(owner);
    this.#known.set(owner, new Map(read.map((one) => [one.name, one])));
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_OWNERS && oldest !== undefined) {
      this.#known.delete(oldest);
    }
  }
}
