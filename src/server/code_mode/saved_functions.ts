import type { SavedFunction } from "../../protocol/code_mode.ts";
import type { Facts } from "../../protocol/state_messages.ts";
import { messageOf } from "../../errors.ts";
import { MIB } from "../../units.ts";
import type { Kept } from "./kept.ts";

/** Bytes of all functions of an owner: each run starts with them. */
export const MOST_SOURCES: number = MIB;

/** Owners whose functions are kept in memory. */
const MOST_OWNERS = 100;

const BEYOND =
  `All saved tools have more than ${MOST_SOURCES} bytes: delete_saved_tool(name) removes one.`;

/** The functions that clients have saved, as runs start with them. */
export class SavedFunctions {
  /** By owner and name; the last used owner last. */
  #known = new Map<string, Map<string, { revision: string; source: string }>>();

  /** @param warn Told a sentence for each function that cannot be read. */
  constructor(
    private kept: Pick<Kept, "list" | "get">,
    private warn: (sentence: string) => void,
  ) {}

  /** All of an owner; a function that cannot be read has a problem in its place. */
  async of(owner: string): Promise<SavedFunction[]> {
    let listed: Facts[];
    try {
      listed = await this.kept.list("tools", owner);
    } catch (error) {
      this.warn(`Running without saved functions: ${messageOf(error)}`);
      return [];
    }
    let bytes = 0;
    const isBeyond = (facts: Facts) => (bytes += facts.bytes) > MOST_SOURCES;
    const before = this.#known.get(owner) ?? new Map();
    const now = new Map();
    const all = await Promise.all(listed.map(async (facts) => {
      const { key: name, revision } = facts;
      try {
        if (isBeyond(facts)) throw new RangeError(BEYOND);
        const known = before.get(name);
        const source = known?.revision === revision
          ? known.source
          : (await this.kept.get("tools", owner, name))?.text;
        if (source === undefined) return [];
        now.set(name, { revision, source });
        return [{ name, source }];
      } catch (error) {
        const problem = messageOf(error);
        this.warn(`Skipping the saved tool "${name}": ${problem}`);
        return [{ name, source: "", problem }];
      }
    }));
    this.#known.delete(owner);
    this.#known.set(owner, now);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_OWNERS && oldest !== undefined) {
      this.#known.delete(oldest);
    }
    return all.flat();
  }
}
