import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import type { SavedFunction } from "../../protocol/code_mode.ts";
import type { Facts } from "../../protocol/keeper_messages.ts";
import { MIB } from "../../units.ts";
import type { Kept } from "../keeper.ts";

/** Clients whose functions are kept here. */
const MOST_OWNERS = 20;
/** Bytes of all functions of a client: each run starts with them. */
export const MOST_SOURCES: number = MIB;

type Read = SavedFunction & Pick<Facts, "revision">;

/** The functions that clients have saved, read again when they have changed. */
export class SavedFunctions {
  /** By owner and name, the last used owner last. */
  #known = new Map<string, Map<string, Read>>();

  constructor(private kept: Pick<Kept, "list" | "get">) {}

  /** The functions of an owner; none if they cannot be read, which is logged. */
  async of(owner: string): Promise<SavedFunction[]> {
    try {
      return await this.#read(owner);
    } catch (error) {
      log(
        `mcp-run-python: saved functions cannot be read: ${messageOf(error)}`,
      );
      return [];
    }
  }

  async #read(owner: string): Promise<SavedFunction[]> {
    const facts = await this.kept.list("tools", owner);
    const before = this.#known.get(owner);
    const found = await Promise.all(
      fitting(facts).map(({ key, revision }) => {
        const known = before?.get(key);
        return known?.revision === revision ? known : this.#get(owner, key);
      }),
    );
    const read = found.filter((one) => one !== undefined);
    this.#remember(owner, read.filter(({ problem }) => problem === undefined));
    return read.map(({ revision: _, ...saved }) => saved);
  }

  /** Undefined if it was deleted meanwhile; a damaged one has its problem. */
  async #get(owner: string, name: string): Promise<Read | undefined> {
    try {
      const found = await this.kept.get("tools", owner, name);
      return found &&
        { name, source: found.text, revision: found.facts.revision };
    } catch (error) {
      return { name, source: "", problem: messageOf(error), revision: "" };
    }
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

/** Those that fit a run; the rest is logged. */
function fitting(facts: readonly Facts[]): Facts[] {
  let room = MOST_SOURCES;
  const kept = [...facts].sort((a, b) => b.updated - a.updated)
    .filter(({ bytes, key }) => (room -= bytes + key.length) >= 0);
  if (kept.length < facts.length) {
    log(
      `mcp-run-python: a run has the latest ${kept.length} of ${facts.length} saved functions, as all may have ${MOST_SOURCES} bytes`,
    );
  }
  return kept;
}
