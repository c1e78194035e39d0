import { messageOf } from "../../errors.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { refusal, type SessionOptions } from "../pool/pool.ts";
import type { Pools } from "../pool/script_pools.ts";
import {
  holdCalls,
  type KeptSession,
  openIn,
  type Opening,
  placeOf,
  type SessionCall,
  type SessionLife,
} from "./kept_session.ts";
import type { SessionStore } from "./saved_sessions.ts";
import type { SessionFigures } from "./session_figures.ts";
import { refuseElsewhere } from "./session_words.ts";
import type { Storing } from "./storing.ts";

/** Opens sessions, and copies of them, from their states in the store. */
export class Restoring {
  constructor(
    private pools: Pick<Pools, "find">,
    /** Whether a session that has lost runs may go on without them. */
    private settings: { lostSessions: "fresh" | "refuse" },
    private saved: SessionStore | undefined,
    private more: {
      figures: Pick<SessionFigures, "lost" | "restored">;
      note: Storing["note"];
    },
  ) {}

  /** Opens a saved session, once it is of this server. */
  async restore(
    entry: KeptSession,
    life: SessionLife,
    call: SessionCall,
  ): Opening {
    const begun = performance.now();
    const refusedClaim = await this.claim(entry, call);
    if (refusedClaim) return { refused: refusedClaim };
    const place = placeOf(call);
    let opened = await this.#openSaved(entry, place);
    // A process may end by itself, or for want of memory: the file is still there.
    if (opened?.refused?.status === "crashed") {
      opened = await this.#openSaved(entry, place);
    }
    if (!opened) return { refused: await this.#lose(entry, UNREADABLE) };
    const { refused } = opened;
    if (!refused) {
      life.storedChanges = 0;
      this.more.note("restored", entry);
      this.more.figures.restored((performance.now() - begun) / 1000);
      return opened;
    }
    if (["busy", "cancelled", "success"].includes(refused.status)) {
      await this.saved?.free(entry.handle, entry.owner);
      return opened;
    }
    const reason = `it cannot be restored: ${
      refused.status === "success" ? "" : refused.error
    }`;
    return { refused: await this.#lose(entry, reason) };
  }

  /** Has a stored session for this server, as it is now; or says why it is not. */
  async claim(
    entry: KeptSession,
    { signal }: SessionCall = {},
  ): Promise<RunResult | undefined> {
    const { handle, owner } = entry;
    let found;
    try {
      found = await this.saved?.claim(handle, owner, signal);
    } catch (error) {
      const reason = `Cannot go on with session ${handle} now: ${
        messageOf(error)
      } Try again later.`;
      return refusal("busy", reason);
    }
    if (found && "elsewhere" in found) return refuseElsewhere(handle, found);
    if (found?.unreadable !== undefined) {
      // Another server may read it.
      entry.stored = undefined;
      await this.saved?.free(handle, owner);
      this.more.figures.lost("unreadable");
      this.more.note("lost", entry, found.unreadable);
      return refusal("session-lost", found.unreadable);
    }
    if (!found?.meta) return await this.#lose(entry, NOT_THERE);
    const { used, runs, created } = found.meta;
    if (entry.stored?.at !== used) Object.assign(entry, { runs, created });
    entry.stored = { at: used, runs };
    entry.resumed ??= found.meta.resumed;
    if (!found.isOlder) return undefined;
    if (!this.mayGoBack(entry)) {
      const reason =
        "its server has ended, and code had run since it was stored";
      return await this.#lose(entry, reason);
    }
    entry.resumed = used;
  }

  /** Whether a session whose last state is lost goes on from the stored one. */
  mayGoBack({ stored, defaultOf }: KeptSession): boolean {
    return stored !== undefined &&
      (this.settings.lostSessions === "fresh" || defaultOf !== undefined);
  }

  /** Forgets a session's stored state: a later server must not go on with it. */
  async forgetStored(entry: KeptSession): Promise<void> {
    entry.stored = undefined;
    await this.saved?.remove(entry.handle, entry.owner);
  }

  async #lose(entry: KeptSession, reason: string): Promise<RunResult> {
    this.more.note("lost", entry, reason);
    this.more.figures.lost("unreadable");
    await this.forgetStored(entry);
    return refusal("session-lost", reason);
  }

  /** Undefined if there is no file that can be read. */
  async #openSaved(
    entry: KeptSession,
    place: SessionOptions,
    fork = false,
  ): Promise<Awaited<Opening> | undefined> {
    const stored = await this.saved?.load(entry.handle, entry.owner);
    if (!stored) return undefined;
    const from = { pieces: stored.pieces, fork };
    const found = await this.pools.find("");
    return found.refused ? found : await openIn(found, { ...place, from });
  }

  /**
   * Opens a copy of a session, from memory or the store; the refusal of a copy has
   * the reasons.
   */
  async copy(entry: KeptSession, call: SessionCall): Opening {
    while (entry.resting) await entry.resting;
    const { life } = entry;
    const lost = life ? life.lost : entry.anew;
    if (lost !== undefined) {
      const reason = `its state is gone: ${lost}`;
      return { refused: refusal("session-lost", reason) };
    }
    const place = placeOf(call);
    if (life) return await life.copy(place);
    if (!entry.stored) {
      const reason = "it has no state, as nothing ran in it";
      return { refused: refusal("invalid-arguments", reason) };
    }
    const open = async () => {
      const refused = await this.claim(entry, call);
      if (refused) return { refused };
      try {
        return await this.#openSaved(entry, place, true);
      } finally {
        await this.saved?.free(entry.handle, entry.owner);
      }
    };
    // Its end would remove the file while it is read.
    return await holdCalls(entry, open()) ??
      { refused: refusal("session-lost", UNREADABLE) };
  }
}

const UNREADABLE = "its file is gone or cannot be read";
const NOT_THERE =
  "its server has ended before it was stored, or its file is gone";
