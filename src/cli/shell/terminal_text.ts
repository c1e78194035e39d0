const ESCAPE = "\x1b";
/** Colours, and moves and erasure for bars; a group, as they stay. */
const STYLE = `(${ESCAPE}\\[(?:[\\d;:]{0,40}[A-HJKSTdfm]|\\?25[hl]))`;
const CONTROL = "[\\0-\\x06\\x0e-\\x1f\\x7f-\\x9f]";
const STYLE_OR_CONTROL = new RegExp(`${STYLE}|${CONTROL}`, "g");
const START_OF_STYLE = new RegExp(`${ESCAPE}(?:\\[[\\d;:?]{0,40})?$`);

/**
 * Makes text of a hostile guest safe for a terminal, which obeys sequences in
 * it: they write to the clipboard, say, or have the terminal type. Colours and
 * moves of the cursor stay; other controls become visible.
 *
 * @returns A function that takes one piece of text after the other.
 */
export function forTerminal(): (text: string) => string {
  let held = "";
  return (text) => {
    const all = held + text;
    // The next piece may have the end of its last sequence.
    [held = ""] = START_OF_STYLE.exec(all) ?? [];
    return all.slice(0, all.length - held.length)
      .replace(STYLE_OR_CONTROL, (found, style) => style ?? toPicture(found));
  };
}

/** The sign for a control character, such as ␛. */
function toPicture(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}
