/**
 * The page as a person uses it, in a tab of a browser.
 *
 * @module
 */
import { assertEquals } from "../../deps/assert.ts";
import { log } from "../../src/log.ts";
import { Browser, maybeChromium, type Page, type Tab } from "./browser.ts";
import { type HttpServer, startHttp } from "./http_server.ts";
import { share } from "./share.ts";

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

export function textOf(tab: Page, selector: string): Promise<string> {
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

/** What the tests of a file share. */
export interface Shared {
  server: HttpServer;
  browser: Browser;
}

/** Starts a server and a browser for the tests of a file, each with a tab of its own. */
export function sharePage(): {
  open(): Promise<Shared>;
  testPage(name: string, fn: (tab: Tab, of: Shared) => Promise<void>): void;
} {
  const open = share(async () => {
    const stack = new AsyncDisposableStack();
    const server = stack.use(await startHttp());
    const browser = stack.use(await Browser.start(CHROMIUM ?? ""));
    return {
      ...{ server, browser },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  });
  return {
    open,
    testPage: (name, fn) =>
      Deno.test({
        name,
        ignore: CHROMIUM === undefined,
        async fn() {
          const of = await open();
          const tab = await of.browser.open(new URL("/", of.server.url));
          await fn(tab, of);
          assertEquals(tab.complaints, []);
        },
      }),
  };
}

/** The number of elements, in the page. */
export const count = (selector: string): string =>
  `document.querySelectorAll(${JSON.stringify(selector)}).length`;
/** The editor's text. */
export const codeOf = (tab: Tab): Promise<string> =>
  tab.eval(`${CONTENT}.innerText`).then(String);

/** Runs code to its end, and keeps the runs before it. */
export async function runOn(tab: Tab, code: string): Promise<void> {
  await tab.until(`!document.querySelector("#run").disabled`);
  const before = Number(await tab.eval(count("#runs > .run")));
  await write(tab, code);
  await tab.press("Enter", { shift: true });
  await tab.until(`${count("#runs > .run")} === ${before + 1}`);
  await tab.until(`!document.querySelector("#run").disabled`);
}
