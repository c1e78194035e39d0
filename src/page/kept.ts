/// <reference lib="dom" />

/** Keeps a text in this tab, over reloads, until the tab is closed; false if it is too long. */
export function keep(name: string, text: string): boolean {
  try {
    sessionStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}

export function maybeKept(name: string): string | undefined {
  return sessionStorage.getItem(name) ?? undefined;
}

export function forget(name: string): void {
  sessionStorage.removeItem(name);
}

/** Names of all that is kept, with a start. */
export function keptNames(start: string): string[] {
  return Object.keys(sessionStorage).filter((name) => name.startsWith(start));
}
