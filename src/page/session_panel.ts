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

  constructor(private mcp: Pick<McpClient, "call" | "read" | "hasTool">) {
    this.#select.onchange = () => void this.refresh();
    // The list may have changed since.
    this.#select.onfocus = () => void this.#list();
    find("fork", HTMLButtonElement).onclick = () => this.#act("fork_session");
    find("end", HTMLButtonElement).onclick = () => this.#act("end_session");
  }

  /** Offers sessions if the server does. */
  async open(): Promise<void> {
    this.#isOffered = await this.mcp.hasTool("list_sessions");
    find("session-choice", HTMLElement).hidden = !this.#isOffered;
    if (this.#isOffered) await this.refresh();
  }

  /** Arguments of a call that runs code in the chosen session. */
  get args(): { session?: string } {
    return this.#isOffered ? { session: this.#select.value || FRESH } : {};
  }

  /** Whether the next run finds the state of the last. */
  get keepsState(): boolean {
    return this.#isOffered && this.#select.value !== FRESH;
  }

  /** Goes on in the session that a run has opened. */
  choose(session: unknown): Promise<void> {
    return this.refresh(typeof session === "string" ? session : undefined);
  }

  async refresh(chosen: string = this.#select.value): Promise<void> {
    if (!this.#isOffered) return;
    await this.#list(chosen);
    const handle = this.#select.value;
    this.#card.hidden = handle === FRESH || handle === NEW || handle === "";
    const look = ++this.#look;
    if (this.#card.hidden) return;
    try {
      const { text } = await this.mcp.read(`run-python://sessions/${handle}`);
      if (look === this.#look) this.#show(fieldsOf(JSON.parse(text ?? "{}")));
    } catch (error) {
      if (look === this.#look) this.#tell(error);
    }
  }

  async #list(chosen: string = this.#select.value): Promise<void> {
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
    this.#select.value = chosen;
    if (this.#select.value === "") this.#select.value = FRESH;
  }

  async #act(tool: "fork_session" | "end_session"): Promise<void> {
    try {
      const session = this.#select.value;
      const answer = await this.mcp.call(tool, { session });
      if (answer.isError) throw new Error(textOf(answer));
      const { session: copy = FRESH } = fieldsOf(answer.structuredContent);
      await this.refresh(String(copy));
      this.#select.focus();
    } catch (error) {
      this.#tell(error);
    }
  }

  #tell(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#details.prepend(note(text));
  }

  #show(look: Fields): void {
    this.#facts.textContent = `${look.state} · ${look.memoryMiB} MiB`;
    const code = (text: unknown) => element("code", {}, String(text ?? ""));
    const bytes = (size: unknown) =>
      size === undefined ? "" : formatBytes(Number(size));
    const variables = listOf(look.variables)
      .map((
        { name, type, repr, size },
      ) => [code(name), String(type), code(repr), bytes(size)]);
    const files = listOf(look.files)
      .map(({ path, size }) => [code(path), bytes(size)]);
    const names = Array.isArray(look.modules) ? look.modules.join(", ") : "";
    const shown = [
      look.note !== undefined && note(look.note),
      variables.length > 0
        ? table(["Name", "Type", "Value", "Size"], variables)
        : note("No variables yet.", "quiet"),
      names !== "" && note(`Modules: ${names}`, "quiet"),
      files.length > 0 && table(["File", "Size"], files),
    ];
    this.#details.replaceChildren(...shown.filter((part) => part !== false));
  }
}

function textOf({ content }: Fields): string {
  return listOf(content).map(({ text }) => String(text ?? "")).join("\n");
}
