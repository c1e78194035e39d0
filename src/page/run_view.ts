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
  readonly printed = new Printed();
  #started = 0;
  #timer?: ReturnType<typeof setTimeout>;

  constructor(
    private mcp: Pick<McpClient, "read">,
    private goTo: (line: number) => void,
  ) {}

  clear(): void {
    this.printed.clear();
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
    this.#timer = setInterval(() => this.#showTime(), TICK_MS);
  }

  /** Says what a run waits for that has printed nothing yet. */
  takeProgress(message: string): void {
    if (this.printed.count > 0) return;
    this.#setStatus(message || "Running", "running");
  }

  finish(answer: Fields): void {
    const content = listOf(answer.content);
    // A server may be started without structured results.
    const result = fieldsOf(
      answer.structuredContent ?? {
        status: answer.isError ? "failed" : "success",
        [answer.isError ? "error" : "return_value"]: content[0]?.text,
      },
    );
    const { status, error, return_value: value, truncated } = result;
    const isGood = status === "success";
    this.#end(toWords(String(status)), isGood ? "good" : "bad");
    const { output: printed, note: cut, files: total } = fieldsOf(truncated);
    if (printed === undefined) this.#showOutput(result.output);
    if (cut !== undefined) this.#results.append(note(cut));
    if (error !== undefined) this.#showError(String(error));
    const pictures = content.flatMap(maybePicture);
    if (value !== undefined && value !== null) {
      this.#add("Value", showValue(value));
    } else if (isGood && this.printed.count + pictures.length === 0) {
      this.#add("Value", note("None", "quiet"));
    }
    for (const [at, src] of pictures.entries()) {
      const alt = `Picture ${at + 1} of the run`;
      this.#add("Picture", element("figure", {}, element("img", { src, alt })));
    }
    this.#showFiles(listOf(result.files), Number(total ?? 0));
  }

  fail(status: string, error: string): void {
    this.#end(status, "bad");
    this.#showError(error);
  }

  #end(status: string, look: string): void {
    clearInterval(this.#timer);
    this.#showTime();
    this.#setStatus(status, look);
    this.printed.flush();
  }

  #showTime(): void {
    this.#time.textContent = formatTime(performance.now() - this.#started);
  }

  #setStatus(text: string, look: string): void {
    this.#status.textContent = text;
    this.#status.className = look;
  }

  /** The result's output stands for lines that have not come as they were printed. */
  #showOutput(output: unknown): void {
    const lines = Array.isArray(output) ? output.map(String) : [];
    if (lines.length === this.printed.count) return;
    this.printed.clear();
    for (const line of lines) this.printed.add(line);
    this.printed.flush();
  }

  #showError(text: string): void {
    const section = this.#add("Error", element("pre", {}, text));
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

  #showFiles(files: Fields[], total: number): void {
    if (files.length === 0) return;
    const items = files.map(({ path, size, uri }) => {
      const file = { path: `${path}`, size: Number(size), uri: `${uri}` };
      const label = `${path} · ${formatBytes(file.size)}`;
      const button = element("button", { type: "button" }, label);
      button.disabled = uri === undefined;
      if (button.disabled) button.title = "The file was too large to keep.";
      button.onclick = () => void this.#download(file, button);
      return element("li", {}, button);
    });
    const list = element("ul", { className: "row downloads" }, ...items);
    const section = this.#add("Files", list);
    const more = total - files.length;
    if (more > 0) section.append(note(`and ${more} more files`));
  }

  async #download(file: GivenFile, button: HTMLButtonElement): Promise<void> {
    const label = button.textContent;
    const tell = (text: string) => button.textContent = `${label} · ${text}`;
    button.disabled = true;
    try {
      await download(
        this.mcp,
        file,
        (share) => tell(`${Math.round(share * 100)} %`),
      );
      button.textContent = label;
    } catch (error) {
      tell(Object(error).message);
    }
    button.disabled = false;
  }

  #add(title: string, shown: HTMLElement): HTMLElement {
    const section = element("section", {}, element("h3", {}, title), shown);
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
