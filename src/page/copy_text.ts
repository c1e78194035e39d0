/// <reference lib="dom" />

/** Puts text on the clipboard; false if the browser allows that neither way. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyAsReader(text);
  }
}

/** As a reader does by Ctrl-C: a frame of a chat may have no other way. */
function copyAsReader(text: string): boolean {
  const answer = (event: ClipboardEvent) => {
    event.preventDefault();
    event.clipboardData?.setData("text/plain", text);
  };
  document.addEventListener("copy", answer);
  try {
    return document.execCommand("copy");
  } finally {
    document.removeEventListener("copy", answer);
  }
}
