/// <reference lib="dom" />
import { find } from "./elements.ts";

const KEPT_AS = "token";
/** What a header takes: a token that was pasted may have other characters. */
const TOKEN = /^[\x21-\x7e]+$/;

/** Sends requests with the token of this tab, and asks for it if it is needed. */
export class Access {
  #asking: Promise<void> | undefined;

  /** Whether the server has asked for a token. */
  get hasToken(): boolean {
    return sessionStorage.getItem(KEPT_AS) !== null;
  }

  /** @throws {Error} If the server refuses the request; its message says why. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    while (true) {
      const token = sessionStorage.getItem(KEPT_AS);
      const headers = new Headers(init.headers);
      const isSent = !token || TOKEN.test(token);
      if (token && isSent) headers.set("authorization", `Bearer ${token}`);
      if (isSent) {
        const response = await fetch(path, { ...init, headers });
        if (response.ok) return response;
        if (response.status !== 401) {
          throw new Error(await readRefusal(response));
        }
      }
      // Another request may have been told a better token meanwhile.
      if (sessionStorage.getItem(KEPT_AS) !== token) continue;
      sessionStorage.removeItem(KEPT_AS);
      if (token) find("token-refused", HTMLElement).hidden = false;
      await (this.#asking ??= ask().finally(() => this.#asking = undefined));
    }
  }
}

function ask(): Promise<void> {
  const dialog = find("token-dialog", HTMLDialogElement);
  const input = find("token", HTMLInputElement);
  return new Promise((resolve) => {
    dialog.onclose = () => {
      sessionStorage.setItem(KEPT_AS, input.value.trim());
      input.value = "";
      resolve();
    };
    dialog.showModal();
  });
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
