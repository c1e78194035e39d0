/// <reference lib="dom" />
import { download, type GivenFile } from "./downloads.ts";
import { element, find, formatBytes, formatTime, note } from "./elements.ts";
import { type Fields, fieldsOf, listOf, type McpClient } from "./mcp_client.ts";
import { Printed } from "./printed.ts";
import { showValue } from "./value.ts";

const TICK_MS = 100;
const PICTURES = ["image/png", "image/jpeg", "image/svg+xml", "image/gif"];

/** What a run gives, while it runs and when it has ended. */
export class RunView {
  #status = find("status", HTMLElement);
  #time = find("time", HTMLElement);
  #empty = find("empty", HTMLElement);
  #results = find("results", HTMLElement);
  #printed = new Printed();
  #started = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    private mcp: Pick<McpClient, "read">,
    /** Shows a line of the code. */
    private goTo: (line: number) => void,
  ) {}

  clear(): void {
    this.#printed.clear();
    this.#results.replaceChildren();
    this.#setStatus("", "");
    this.#time.textContent = "";
    this.#empty.hidden = false;
  }

  start(): void {
    this.clear();
    this.#empty.hidden = true;
    this.#setStatus("Running", "running");
    this.#started = performance.now();
    const tick = () =>
      this.#time.textContent = formatTime(performance.now() - this.#started);
    this.#timer = setInterval(tick, TICK_MS);
  }

  takeLine(level: string, line: string): void {
    this.#printed.add(line, level);
  }

  /** Says what a run waits for that has printed nothing yet. */
  takeProgress(message: string): void {
    if (this.#printed.count > 0) return;
    this.#setStatus(message || "Running", "running");
  }

  /** @param answer Of the tool. */
  finish(answer: Fields): void {
    const content = listOf(answer.content);
    const result = fieldsOf(
      // A server may be started without structured results.
      answer.structuredContent ?? {
        status: answer.isError ? "failed" : "success",
        [answer.isError ? "error" : "return_value"]: content[0]?.text,
      },
    );
    const isGood = result.status === "success";
    this.#end(toWords(String(result.status)), isGood ? "good" : "bad");
    this.#showOutput(result);
    this.#showError(result.error);
    const pictures = content.flatMap(maybePicture);
    const { return_value: value } = result;
    if (value !== undefined && value !== null) {
      this.#add("Value", showValue(value));
    } else if (isGood && this.#printed.count + pictures.length === 0) {
      this.#add("Value", note("None", "quiet"));
    }
    for (const [at, src] of pictures.entries()) {
      const alt = `Picture ${at + 1} of the run`;
      this.#add("Picture", element("figure", {}, element("img", { src, alt })));
    }
    this.#showFiles(result);
  }

  /** Ends a run that has no result. */
  fail(status: string, error: string): void {
    this.#end(status, "bad");
    this.#showError(error);
  }

  #end(status: string, look: string): void {
    clearInterval(this.#timer);
    this.#time.textContent = formatTime(performance.now() - this.#started);
    this.#setStatus(status, look);
    this.#printed.flush();
  }

  #setStatus(text: string, look: string): void {
    this.#status.textContent = text;
    this.#status.className = look;
  }

  /** The result's output stands for lines that have not come as they were printed. */
  #showOutput({ output, truncated }: Fields): void {
    const lines = Array.isArray(output) ? output.map(String) : [];
    const { output: printed, note: cut } = fieldsOf(truncated);
    if (printed === undefined && lines.length !== this.#printed.count) {
      this.#printed.clear();
      for (const line of lines) this.#printed.add(line);
      this.#printed.flush();
    }
    if (cut !== undefined) this.#results.append(note(cut));
  }

  #showError(error: unknown): void {
    if (error === undefined) return;
    const text = String(error);
    const shown = element("pre", {}, text);
    const section = this.#add("Error", shown);
    section.classList.add("error");
    const line = [...text.matchAll(/File "main\.py", line (\d+)/g)].at(-1)?.[1];
    if (line === undefined) return;
    section.append(element("button", {
      className: "plain",
      type: "button",
      textContent: `Go to line ${line}`,
      onclick: () => this.goTo(Number(line)),
    }));
  }

  #showFiles({ files, truncated }: Fields): void {
    const items = listOf(files).map((file) => {
      const [path, size] = [String(file.path), Number(file.size)];
      const label = `${path} · ${formatBytes(size)}`;
      const button = element("button", { type: "button" }, label);
      button.disabled = typeof file.uri !== "string";
      if (button.disabled) button.title = "The file was too large to keep.";
      const given = { path, size, uri: String(file.uri) };
      button.onclick = () => void this.#download(given, button);
      return element("li", {}, button);
    });
    if (items.length === 0) return;
    const list = element("ul", { className: "downloads" }, ...items);
    const section = this.#add("Files", list);
    const total = Number(fieldsOf(truncated).files);
    if (total > items.length) {
      section.append(note(`and ${total - items.length} more files`));
    }
  }

  async #download(file: GivenFile, button: HTMLButtonElement): Promise<void> {
    const label = button.textContent;
    button.disabled = true;
    try {
      await download(this.mcp, file, (share) => {
        button.textContent = `${label} · ${Math.round(share * 100)} %`;
      });
      button.textContent = label;
    } catch (error) {
      button.textContent = `${label} · ${Object(error).message}`;
    }
    button.disabled = false;
  }

  #add(title: string, ...children: HTMLElement[]): HTMLElement {
    const heading = element("h3", {}, title);
    const section = element("section", {}, heading, ...children);
    this.#results.append(section);
    return section;
  }
}

function toWords(status: string): string {
  const text = status.replaceAll("-", " ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/**
 * A picture as an address for `<img>`, where an SVG runs no script and loads
 * nothing. Unlike a blob's, the address is of no origin if a person opens it.
 */
function maybePicture({ type, mimeType, data, resource }: Fields): string[] {
  const { mimeType: inner, text } = fieldsOf(resource);
  if (type === "resource" && inner === "image/svg+xml") {
    return [`data:${inner},${encodeURIComponent(String(text))}`];
  }
  const isPicture = type === "image" && PICTURES.includes(String(mimeType));
  return isPicture ? [`data:${mimeType};base64,${data}`] : [];
}
