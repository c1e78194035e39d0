/// <reference lib="dom" />
import { nameOfSession } from "../protocol/server_status.ts";
import { find, note } from "../page/elements.ts";
import { readLook, showLook } from "../page/session_look.ts";
import type { Host } from "./host.ts";

/** The variables of the session that the code ran in, read once a user opens it. */
export class SessionCard {
  #card = find("variables", HTMLDetailsElement);
  #title = find("variables-title", HTMLElement);
  #place = find("variables-look", HTMLElement);
  #handle = "";

  constructor(private host: Pick<Host, "read" | "can">) {
    this.#card.ontoggle = () => void this.#read();
  }

  show(handle: unknown): void {
    const isThere = typeof handle === "string" && this.host.can.read;
    this.#card.hidden = !isThere;
    this.#handle = isThere ? handle : "";
    this.#title.textContent = `Variables · ${nameOfSession(this.#handle)}`;
    void this.#read();
  }

  async #read(): Promise<void> {
    const handle = this.#handle;
    if (!this.#card.open || this.#card.hidden) return;
    try {
      const look = showLook(await readLook(this.host, handle));
      // A later run may have another session.
      if (handle === this.#handle) this.#place.replaceChildren(...look);
    } catch (error) {
      this.#place.replaceChildren(note(Object(error).message));
    }
  }
}
