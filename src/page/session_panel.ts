/// <reference lib="dom" />
import { element, find, formatBytes, note, table } from "./elements.ts";
import { type Fields, fieldsOf, listOf, type McpClient } from "./mcp_client.ts";

const FRESH = "none";
const NEW = "new";

/** The choice of a session, and a look into it. */
export class SessionPanel {
  #select = find("session", HTMLSelectElement);
  #card = find("session-card", HTMLElement);
  #facts = find("session-facts", HTMLElement);
  #details = find("session-details", HTMLElement);
  #isOffered = false;
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
    this.#isOffered = tools.some(({ name }) => name === "list_sessions");
    find("session-choice", HTMLElement).hidden = !this.#isOffered;
    await this.refresh();
  }

  /** The handle for a call that runs code; undefined if there are no sessions. */
  get chosen(): string | undefined {
    return this.#isOffered ? this.#select.value || FRESH : undefined;
  }

  /** Whether the next run finds the state of the last. */
  get keepsState(): boolean {
    return this.#isOffered && this.#select.value !== FRESH;
  }

  /** @param session That a run has opened. */
  async refresh(session?: unknown): Promise<void> {
    if (!this.#isOffered) return;
    await this.#list(session);
    const handle = this.#select.value;
    this.#card.hidden = handle === FRESH || handle === NEW;
    const look = ++this.#look;
    if (this.#card.hidden) return;
    try {
      const { text } = await this.mcp.read(`run-python://sessions/${handle}`);
      if (look === this.#look) this.#show(fieldsOf(JSON.parse(text ?? "{}")));
    } catch (error) {
      if (look === this.#look) this.#tell(error);
    }
  }

  async #list(chosen: unknown = this.#select.value): Promise<void> {
    const answer = await this.mcp.call("list_sessions", {});
    const { sessions } = fieldsOf(answer.structuredContent);
    const options = listOf(sessions).map(({ session, runs }) => {
      const [handle, unit] = [String(session), runs === 1 ? "run" : "runs"];
      return new Option(`${handle.slice(0, 8)} · ${runs} ${unit}`, handle);
    });
    this.#select.replaceChildren(
      new Option("No session", FRESH),
      new Option("New session", NEW),
      ...options,
    );
    this.#select.value = String(chosen);
    if (this.#select.value === "") this.#select.value = FRESH;
  }

  async #act(tool: "fork_session" | "end_session"): Promise<void> {
    try {
      const session = this.#select.value;
      const answer = await this.mcp.call(tool, { session });
      const [{ text } = {}] = listOf(answer.content);
      if (answer.isError) throw new Error(String(text));
      const { session: copy = FRESH } = fieldsOf(answer.structuredContent);
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
    this.#facts.textContent = `${look.state} · ${look.memoryMiB} MiB`;
    const code = (text: unknown) => element("code", {}, String(text));
    const bytes = (size: unknown) =>
      size === undefined ? "" : formatBytes(Number(size));
    const variables = listOf(look.variables).map((
      { name, type, repr, size },
    ) => [code(name), String(type), code(repr), bytes(size)]);
    const files = listOf(look.files)
      .map(({ path, size }) => [code(path), bytes(size)]);
    const names = [look.modules ?? []].flat().join(", ");
    this.#details.replaceChildren(
      ...look.note === undefined ? [] : [note(look.note)],
      variables.length > 0
        ? table(["Name", "Type", "Value", "Size"], variables)
        : note("No variables yet.", "quiet"),
      ...names ? [note(`Modules: ${names}`, "quiet")] : [],
      ...files.length > 0 ? [table(["File", "Size"], files)] : [],
    );
  }
}
