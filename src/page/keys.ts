/// <reference lib="dom" />
import { find } from "./elements.ts";

/** Shortcuts of the whole page; those of the editor are the editor's. */
export function openKeys(
  { run, stop, edit }: Record<"run" | "stop" | "edit", () => void>,
): void {
  const dialog = find("keys-dialog", HTMLDialogElement);
  const show = () => dialog.showModal();
  find("show-keys", HTMLButtonElement).onclick = show;
  find("close-keys", HTMLButtonElement).onclick = () => dialog.close();
  const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
  if (isApple) find("run-key", HTMLElement).textContent = "⌘ ↵";
  const single: Record<string, () => void> = {
    "?": show,
    e() {
      location.hash = "playground";
      edit();
    },
    p: () => location.hash = "playground",
    l: () => location.hash = "live",
  };
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === ".") {
      event.preventDefault();
      return stop();
    }
    // The editor has taken its own.
    const runs = (event.ctrlKey || event.metaKey) && event.key === "Enter";
    if (runs && !event.defaultPrevented && location.hash !== "#live") {
      event.preventDefault();
      return run();
    }
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const isOpen = document.querySelector("dialog[open]") !== null;
    const act = isPlain && !isOpen && !isWriting(event)
      ? single[event.key]
      : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  });
}

/** Whether a key is meant for a field, also one in the editor's shadow root. */
function isWriting(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, select, textarea"));
}
