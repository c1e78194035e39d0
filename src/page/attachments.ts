/// <reference lib="dom" />
import { element, find, formatBytes } from "./elements.ts";

/** The files that the next run gets. */
export class Attachments {
  #files: File[] = [];
  #list = find("files", HTMLElement);

  constructor() {
    const input = find("file-input", HTMLInputElement);
    find("add-files", HTMLButtonElement).onclick = () => input.click();
    input.onchange = () => {
      this.#add(input.files);
      input.value = "";
    };
    const place = find("playground", HTMLElement);
    // In the capture phase: the editor would insert the file's text.
    place.addEventListener("dragover", (event) => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    }, true);
    place.addEventListener("drop", (event) => {
      if (!event.dataTransfer?.files.length) return;
      event.preventDefault();
      event.stopPropagation();
      this.#add(event.dataTransfer.files);
    }, true);
  }

  clear(): void {
    this.#files = [];
    this.#show();
  }

  /** The argument `files` of the tool. */
  read(): Promise<{ path: string; base64: string }[]> {
    return Promise.all(this.#files.map(async (file) => ({
      path: file.name,
      base64: new Uint8Array(await file.arrayBuffer()).toBase64(),
    })));
  }

  #add(files: FileList | null): void {
    for (const file of files ?? []) {
      const others = this.#files.filter(({ name }) => name !== file.name);
      this.#files = [...others, file];
    }
    this.#show();
  }

  #show(): void {
    find("files-hint", HTMLElement).hidden = this.#files.length > 0;
    this.#list.replaceChildren(...this.#files.map((file) =>
      element(
        "li",
        { className: "row" },
        `${file.name} · ${formatBytes(file.size)}`,
        element("button", {
          className: "plain",
          type: "button",
          textContent: "✕",
          ariaLabel: `Remove ${file.name}`,
          onclick: () => {
            this.#files = this.#files.filter((other) => other !== file);
            this.#show();
          },
        }),
      )
    ));
  }
}
