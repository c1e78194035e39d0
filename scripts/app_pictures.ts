/**
 * Takes the pictures of the MCP App that docs/apps.md shows, in a chat that is the
 * official host, with real packages.
 *
 * @module
 */
import { type Chat, startAppHost } from "../test/support/app_host.ts";
import { Browser, maybeChromium } from "../test/support/browser.ts";
import { PACKAGES_027 } from "../test/support/each_pyodide.ts";

const FOLDER = new URL("../docs/apps/", import.meta.url);
const WIDTH = 760;
const LOOKS = ["light", "dark"];

const CHART = `import math, plotly.graph_objects as go

x = [n / 10 for n in range(100)]
fig = go.Figure([
    go.Scatter(x=x, y=[f(n) for n in x], name=f.__name__)
    for f in (math.sin, math.cos)
])
fig.update_layout(title="Waves", height=340, margin=dict(t=60, b=40))
fig`;

const TABLE = `import matplotlib.pyplot as plt

rows = [{"year": 2019 + n, "people": 410 + 37 * n, "city": f"City {n}"} for n in range(8)]
plt.figure(figsize=(6, 2.2))
plt.bar([row["year"] for row in rows], [row["people"] for row in rows])
print("eight years")
rows`;

const ERROR = `def mean(numbers):
    return sum(numbers) / len(numbers)

print(mean([1, 2, 3]))
print(mean([]))`;

/** Waits for a part of the app, and writes what a user sees of it then. */
async function take(
  { tab, app, height }: Chat,
  { name, part }: { name: string; part: string },
): Promise<void> {
  await app.until(part);
  await app.eval(TWO_FRAMES);
  await tab.resize(WIDTH, await height() + 16);
  await tab.eval(TWO_FRAMES);
  const png = await tab.screenshot();
  await Deno.writeFile(new URL(`${name}.png`, FOLDER), png);
}

/** Settles once what is there is drawn. */
const TWO_FRAMES =
  "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))";

const chromium = maybeChromium();
if (chromium === undefined) throw new Error("Set CHROME to a Chromium.");
await Deno.mkdir(FOLDER, { recursive: true });
{
  await using host = await startAppHost(["--deps", "plotly"]);
  for (const theme of LOOKS) {
    await using browser = await Browser.start(chromium);
    const media = { "prefers-color-scheme": theme };
    const chat = await host.open(browser, { media, context: { theme } });
    await chat.tab.resize(WIDTH, 900);
    await chat.call({ python_code: CHART });
    // A frame of another process: it is there once it draws.
    await chat.app.until(`document.querySelector(".framed iframe")`);
    const frame = await browser.frameApart();
    const chart = await frame.frame(0);
    await chart.until(`document.querySelector(".main-svg .trace")`);
    await take(chat, { name: `chart-${theme}`, part: "true" });
    const other = await host.open(browser, { media, context: { theme } });
    await other.tab.resize(WIDTH, 900);
    await other.call({ python_code: ERROR });
    const part = `document.querySelector(".marked")`;
    await take(other, { name: `error-${theme}`, part });
  }
}
{
  await using host = await startAppHost(PACKAGES_027);
  for (const theme of LOOKS) {
    await using browser = await Browser.start(chromium);
    const media = { "prefers-color-scheme": theme };
    const chat = await host.open(browser, { media, context: { theme } });
    await chat.tab.resize(WIDTH, 900);
    await chat.call({ python_code: TABLE, session: "new" });
    await chat.app.click("#variables-title");
    const part = `document.querySelector("img")?.complete &&
      document.querySelector("#variables-look table")`;
    await take(chat, { name: `table-${theme}`, part });
  }
}
