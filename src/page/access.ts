/// <reference lib="dom" />
import { find } from "./elements.ts";

const KEPT_AS = "token";

/** Sends requests with the token of this tab, and asks for it if it is needed. */
export class Access {
  #asking: Promise<string> | undefined;

  /** @throws {Error} If the server refuses the request; its message says why. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    for (let isRefused = false;; isRefused = true) {
      const token = isRefused ? await this.#ask() : readToken();
      const headers = new Headers(init.headers);
      if (token) headers.set("authorization", `Bearer ${token}`);
      const response = await fetch(path, { ...init, headers });
      if (response.ok) return response;
      if (response.status !== 401) throw new Error(await readRefusal(response));
      // Another request may have been told a better token meanwhile.
      if (readToken() === token) sessionStorage.removeItem(KEPT_AS);
      if (token) find("token-refused", HTMLElement).hidden = false;
    }
  }

  /** All requests wait for the same answer. */
  #ask(): Promise<string> {
    const known = readToken();
    if (known) return Promise.resolve(known);
    return this.#asking ??= ask().finally(() => this.#asking = undefined);
  }
}

function readToken(): string {
  return sessionStorage.getItem(KEPT_AS) ?? "";
}

function ask(): Promise<string> {
  const dialog = find("token-dialog", HTMLDialogElement);
  const input = find("token", HTMLInputElement);
  const { promise, resolve } = Promise.withResolvers<string>();
  // Without a token there is nothing to do on this page.
  dialog.oncancel = (event) => event.preventDefault();
  find("token-form", HTMLFormElement).onsubmit = (event) => {
    event.preventDefault();
    const token = input.value.trim();
    input.value = "";
    sessionStorage.setItem(KEPT_AS, token);
    dialog.close();
    resolve(token);
  };
  dialog.showModal();
  return promise;
}

async function readRefusal(response: Response): Promise<string> {
  const { status, statusText } = response;
  try {
    const { error } = await response.json();
    if (typeof error?.message === "string") return error.message;
  } catch {
    // It is not JSON.
  }
  return `The server answered ${status} ${statusText}`.trim();
}
