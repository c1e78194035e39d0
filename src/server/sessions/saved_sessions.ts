import type { SessionMeta } from "../../protocol/store_messages.ts";
import { toKey } from "./session_key.ts";
import type { SessionStore, StoredSession } from "./session_store.ts";

/** The saved sessions of this server's environment, by handle. */
export class SavedSessions {
  /** @param environment Gives its id, once it is installed. */
  constructor(
    private store: SessionStore,
    private environment: () => string | undefined,
  ) {}

  /**
   * Saves a session, in the place of what was saved of it before.
   *
   * @param write Hands on the bytes; false if there are not all of them.
   * @returns Whether it is saved.
   */
  async save(
    handle: string,
    meta: Omit<SessionMeta, "environment">,
    write: Parameters<SessionStore["save"]>[2],
  ): Promise<boolean> {
    const environment = this.environment();
    if (environment === undefined) return false;
    const key = toKey(handle);
    return await this.store.save(key, { ...meta, environment }, write);
  }

  /** Undefined if nothing that can be restored is saved for this owner. */
  async load(
    handle: string,
    owner: string,
  ): Promise<StoredSession | undefined> {
    const environment = this.environment();
    if (environment === undefined) return undefined;
    const saved = await this.store.load(toKey(handle), environment);
    return saved?.meta.owner === owner ? saved : undefined;
  }

  async remove(handle: string): Promise<void> {
    await this.store.remove(toKey(handle));
  }
}
