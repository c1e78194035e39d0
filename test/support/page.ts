/**
 * The page as a person uses it, in a tab of a browser.
 *
 * @module
 */
import { log } from "../../src/log.ts";
import { maybeChromium, type Tab } from "./browser.ts";

/** Path of a Chromium; undefined without one: its tests are skipped. */
export const CHROMIUM: string | undefined = maybeChromium();
if (CHROMIUM === undefined) {
  log("SKIPPED: tests of the page need a Chromium on the path, or in CHROME.");
}

export async function giveToken(tab: Tab, token: string): Promise<void> {
  await tab.until(`document.querySelector("#token-dialog").open`);
  await tab.eval(`document.querySelector("#token").value = "${token}"`);
  await tab.click("#token-form button");
}

/** The last run. */
export const LAST = "#runs > .run:last-child";

export const EDITOR: string = `document.querySelector("#editor").shadowRoot`;
export const CONTENT: string = `${EDITOR}.querySelector(".cm-content")`;
export const TEXT = (selector: string): string =>
  `document.querySelector(${JSON.stringify(selector)}).textContent`;

export function textOf(tab: Tab, selector: string): Promise<string> {
  return tab.until(`document.querySelector(${JSON.stringify(selector)})`)
    .then(() => tab.eval(TEXT(selector))).then(String);
}

export async function focusEditor(tab: Tab): Promise<void> {
  await tab.until(CONTENT);
  await tab.eval(`${CONTENT}.focus()`);
}

/** Pastes code in place of all that is in the editor. */
export async function write(tab: Tab, code: string): Promise<void> {
  await focusEditor(tab);
  await tab.press("a", { control: true });
  await tab.eval(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", ${JSON.stringify(code)});
    ${CONTENT}.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData, cancelable: true }),
    );
  })()`);
}

/** Runs code to its end, by the keyboard. */
export async function run(
  tab: Tab,
  code: string,
  { hasSessions = true } = {},
): Promise<void> {
  if (hasSessions) {
    await tab.until(`document.querySelector("#session").options.length > 1`);
  }
  await tab.until(`!document.querySelector("#run").disabled`);
  await tab.click("#clear");
  await write(tab, code);
  await tab.press("Enter", { control: true });
  await tab.until(
    `!["", "Running"].includes(document.querySelector("#status").textContent)`,
  );
  await tab.until(`!document.querySelector("#run").disabled`);
}

export function choose(
  tab: Tab,
  selector: string,
  value: string,
): Promise<unknown> {
  return tab.eval(`(() => {
    const select = document.querySelector(${JSON.stringify(selector)});
    select.value = ${JSON.stringify(value)};
    select.dispatchEvent(new Event("change"));
  })()`);
}
