/// <reference lib="dom" />
import { find } from "./elements.ts";

/** Shortcuts of the whole page; those of the editor are the editor's. */
export function openKeys(
  { run, stop, edit }: Record<"run" | "stop" | "edit", () => void>,
): void {
  const dialog = find("keys-dialog", HTMLDialogElement);
  const show = () => dialog.showModal();
  find("show-keys", HTMLButtonElement).onclick = show;
  const plain: Record<string, () => void> = {
    "?": show,
    e() {
      location.hash = "playground";
      edit();
    },
    p: () => location.hash = "playground",
    l: () => location.hash = "live",
    c: () => location.hash = "connect",
  };
  const withControl: Record<string, () => void> = {
    ".": stop,
    // Without effect if the editor has taken it, as code runs then.
    Enter: () => ["", "#playground"].includes(location.hash) && run(),
  };
  addEventListener("keydown", (event) => {
    if (event.altKey) return;
    const isControl = event.ctrlKey || event.metaKey;
    // The target is within the editor's shadow root, too.
    const [target] = event.composedPath();
    const isWriting = target instanceof HTMLElement &&
      (target.isContentEditable || target.matches("input, select, textarea"));
    const isFree = !isWriting && !document.querySelector("dialog[open]");
    const keys = isControl ? withControl : isFree ? plain : {};
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]?.();
  });
}
