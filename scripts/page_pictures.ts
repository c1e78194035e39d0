/**
 * Takes the pictures of the page that docs/http.md shows, in a real browser.
 *
 * @module
 */
import { Browser, maybeChromium, type Tab } from "../test/support/browser.ts";
import { startHttp } from "../test/support/http_server.ts";

const FOLDER = new URL("../docs/page/", import.meta.url);

async function take(tab: Tab, name: string): Promise<void> {
  await Deno.writeFile(new URL(`${name}.png`, FOLDER), await tab.screenshot());
}

async function runExample(tab: Tab, name: string): Promise<void> {
  await tab.until(`document.querySelector("#session").options.length > 1`);
  await tab.eval(`(() => {
    const select = document.querySelector("#example");
    select.value = ${JSON.stringify(name)};
    select.onchange();
  })()`);
  await tab.click("#run");
  await tab.until(
    `document.querySelector("#status").textContent === "Success"`,
  );
  await tab.until(`!document.querySelector("#run").disabled`);
}

const chromium = maybeChromium();
if (chromium === undefined) throw new Error("Set CHROME to a Chromium.");
await Deno.mkdir(FOLDER, { recursive: true });
await using server = await startHttp(["--env", "REGION=eu"]);
await using browser = await Browser.start(chromium);
const home = new URL("/", server.url);
for (const look of ["light", "dark"]) {
  const tab = await browser.open(home, { "prefers-color-scheme": look });
  await tab.resize(1280, 760);
  await tab.until(`document.querySelector("#session").options.length > 1`);
  await runExample(tab, "Session");
  await runExample(tab, "Picture");
  await take(tab, look);
  await runExample(tab, "Table");
  await tab.eval(`location.hash = "live"`);
  await tab.until(`document.querySelectorAll("#live-cards tbody tr").length`);
  await take(tab, `live-${look}`);
  await tab.eval(`location.hash = "connect"`);
  await tab.until(`document.querySelectorAll("#connect-cards pre").length`);
  if (look === "light") await take(tab, "connect");
}
const phone = await browser.open(home, { "prefers-color-scheme": "light" });
await phone.resize(360, 740, 2);
await runExample(phone, "Hello");
await take(phone, "phone");
