/// <reference lib="dom" />
import { nameOfSession } from "../protocol/server_status.ts";
import { find, note } from "./elements.ts";
import { keep, maybeKept } from "./kept.ts";
import { type Fields, fieldsOf, listOf, type McpClient } from "./mcp_client.ts";
import { modulesOf, readLook, showLook } from "./session_look.ts";

const NONE = "none";
const NEW = "new";
const KEPT_AS = "session";

/** The choice of a session, which outlasts a reload, and a look into it. */
export class SessionPanel {
  /** Names that the chosen session has. */
  names: { name: string; type: string }[] = [];
  isOffered = false;
  #select = find("session", HTMLSelectElement);
  #card = find("session-card", HTMLElement);
  #facts = find("session-facts", HTMLElement);
  #details = find("session-details", HTMLElement);
  /** The look that is shown, as older ones may answer later. */
  #look = 0;

  constructor(private mcp: Pick<McpClient, "call" | "read">) {
    this.#select.onchange = () => void this.refresh();
    // The list may have changed since.
    this.#select.onfocus = () => void this.#list();
    find("fork", HTMLButtonElement).onclick = () => this.#act("fork_session");
    find("end", HTMLButtonElement).onclick = () => this.#act("end_session");
  }

  /** @param tools Of the server. */
  async open(tools: readonly Fields[]): Promise<void> {
    this.isOffered = tools.some(({ name }) => name === "list_sessions");
    this.#select.hidden = !this.isOffered;
    await this.refresh(maybeKept(KEPT_AS) ?? NEW);
  }

  /** The handle for a call that runs code; undefined if there are no sessions. */
  get chosen(): string | undefined {
    return this.isOffered ? this.#select.value || NEW : undefined;
  }

  /** Whether the next run finds the state of the last. */
  get keepsState(): boolean {
    return this.isOffered && this.#select.value !== NONE;
  }

  chooseNew(): void {
    void this.refresh(NEW);
  }

  /** @param session That a run has opened, or the reader has chosen. */
  async refresh(session?: unknown): Promise<void> {
    if (!this.isOffered) return;
    await this.#list(session);
    const handle = this.#select.value;
    keep(KEPT_AS, handle);
    this.#card.hidden = handle === NONE || handle === NEW;
    this.names = [];
    const look = ++this.#look;
    if (this.#card.hidden) return;
    try {
      const seen = await readLook(this.mcp, handle);
      if (look === this.#look) this.#show(seen);
    } catch (error) {
      if (look === this.#look) this.#tell(error);
    }
  }

  async #list(chosen: unknown = this.#select.value): Promise<void> {
    const answer = await this.mcp.call("list_sessions", {});
    const { sessions } = fieldsOf(answer.structuredContent);
    const options = listOf(sessions).map(({ session, runs }) => {
      const [handle, unit] = [String(session), runs === 1 ? "run" : "runs"];
      return new Option(`${nameOfSession(handle)} · ${runs} ${unit}`, handle);
    });
    this.#select.replaceChildren(
      new Option("New session", NEW),
      ...options,
      new Option("No session", NONE),
    );
    this.#select.value = String(chosen);
    // A session may have ended.
    if (this.#select.value === "") this.#select.value = NEW;
  }

  async #act(tool: "fork_session" | "end_session"): Promise<void> {
    try {
      const session = this.#select.value;
      const answer = await this.mcp.call(tool, { session });
      const [{ text } = {}] = listOf(answer.content);
      if (answer.isError) throw new Error(String(text));
      const { session: copy = NEW } = fieldsOf(answer.structuredContent);
      await this.refresh(copy);
      this.#select.focus();
    } catch (error) {
      this.#tell(error);
    }
  }

  #tell(error: unknown): void {
    this.#details.prepend(note(Object(error).message));
  }

  #show(look: Fields): void {
    const held = look.memoryMiB === 0 ? "under 1" : look.memoryMiB;
    const name = nameOfSession(String(look.session));
    this.#facts.textContent = `${name} · ${look.state} · holds ${held} MiB`;
    this.names = [
      ...listOf(look.variables)
        .map(({ name, type }) => ({ name: `${name}`, type: `${type}` })),
      ...modulesOf(look).map((name) => ({ name, type: "module" })),
    ];
    this.#details.replaceChildren(...showLook(look));
  }
}
