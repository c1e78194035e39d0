import { Browser, maybeChromium, type Tab } from "../../support/browser.ts";

/** From the opening of a page. */
export interface AppStart {
  /** Milliseconds of CPU time of its script, style and layout. */
  workMs: number;
  /** Milliseconds until something of it was painted. */
  paintMs: number;
}

/** The app, and its page and style without the script. */
export interface AppStarts {
  app: AppStart;
  plain: AppStart;
}

/** Opens the app in a browser, and a page that looks alike; undefined without a browser. */
export async function measureApp(): Promise<AppStarts | undefined> {
  const chromium = maybeChromium();
  if (chromium === undefined) return undefined;
  const app = await Deno.readTextFile(
    new URL("../../../src/app/bundle/app.html", import.meta.url),
  );
  const plain = app.slice(0, app.indexOf("<script"));
  const ending = new AbortController();
  const server = Deno.serve(
    {
      ...{ hostname: "127.0.0.1", port: 0, onListen() {} },
      signal: ending.signal,
    },
    ({ url }) => {
      const text = new URL(url).pathname === "/app" ? app : plain;
      const headers = { "content-type": "text/html; charset=utf-8" };
      return new Response(text, { headers });
    },
  );
  try {
    await using browser = await Browser.start(chromium);
    const open = (path: string) =>
      start(browser, new URL(`http://127.0.0.1:${server.addr.port}/${path}`));
    // A browser's first page does not count.
    await open("plain");
    return { plain: await open("plain"), app: await open("app") };
  } finally {
    ending.abort();
  }
}

async function start(browser: Browser, url: URL): Promise<AppStart> {
  const tab = await browser.open(new URL("about:blank"));
  // CPU time, which other processes do not lengthen.
  await tab.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await workOf(tab);
  await tab.go(url);
  await tab.until(`${PAINT} > 0`);
  if (url.pathname === "/app") {
    // Its script has run, and asks for a chat.
    await tab.until(`document.querySelector("#again").onclick`);
  }
  return {
    workMs: await workOf(tab) - before,
    paintMs: Number(await tab.eval(PAINT)),
  };
}

/** Milliseconds of CPU time that the tab has worked. */
async function workOf(tab: Tab): Promise<number> {
  const { metrics } = await tab.send("Performance.getMetrics");
  const found = Object.values(Object(metrics)).map(Object)
    .find(({ name }) => name === "TaskDuration");
  return Number(found?.value) * 1000;
}

const PAINT =
  `performance.getEntriesByName("first-contentful-paint")[0]?.startTime`;
