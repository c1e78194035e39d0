/**
 * HTML of Python that attacks, in each place that shows it, in a real browser.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "../deps/assert.ts";
import { toFramedPage } from "../src/frames/to_framed_page.ts";
import {
  attackPage,
  ENDLESS,
  leavingPages,
  type Outcomes,
  REFUSED,
} from "./frame_attacks.ts";
import { startAppHost } from "./support/app_host.ts";
import { Browser, type Tab } from "./support/browser.ts";
import { tempFolder } from "./support/folder.ts";
import { startHttp } from "./support/http_server.ts";
import { Outside } from "./support/outside.ts";
import { CHROMIUM, run } from "./support/page.ts";
import { share } from "./support/share.ts";

const PYTHONPATH = fileURLToPath(import.meta.resolve("../python/src"));

const open = share(async () => {
  const stack = new AsyncDisposableStack();
  return {
    browser: stack.use(await Browser.start(CHROMIUM ?? "")),
    outside: stack.use(await Outside.open()),
    folder: stack.use(await tempFolder()),
    server: stack.use(await startHttp()),
    host: stack.use(await startAppHost()),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
});
type Parts = Awaited<ReturnType<typeof open>>;

/** Has the top keep the messages that come to it. */
const LISTEN =
  `window.said ??= (addEventListener("message", ({ data }) => said.push(data)), [])`;

/** Each shows HTML of Python, and gives the tab; the top has `said` then. */
const PLACES: Record<string, (html: string, parts: Parts) => Promise<Tab>> = {
  async "a file of run --out"(html, parts) {
    return await write(toFramedPage(html, { title: "<b>" }), parts);
  },
  async "a notebook"(html, parts) {
    const frame = await runPython("to_frame", html);
    return await write(`<title>notebook</title>${frame}`, parts);
  },
  async "the page of the server"(html, { browser, server }) {
    const home = new URL("/", server.url);
    const tab = await browser.open(home, {}, { isPrivate: false });
    await tab.hearFrames();
    await run(tab, `open("a.html", "w").write(${JSON.stringify(html)})`);
    const uri = await tab.eval(`document.querySelector(".downloads a").href`);
    await tab.eval(KEEP(String(uri)));
    await tab.send("Page.addScriptToEvaluateOnNewDocument", { source: LISTEN });
    await tab.go(home);
    await tab.until(`document.querySelector(".framed").offsetHeight === 420`);
    return tab;
  },
  async "the app in a chat"(html, { browser, host }) {
    const chat = await host.open(browser, { isPrivate: false });
    const { tab, app } = chat;
    await tab.hearFrames();
    await tab.eval(LISTEN_IN_CHAT);
    const page = { uri: "run-python://a/b.html", title: "<b>x", size: 9 };
    await chat.give({ python_code: "show()" }, {
      content: [{
        type: "resource",
        resource: { ...page, mimeType: "text/html", text: html },
      }],
      structuredContent: { status: "success", output: [], pages: [page] },
    });
    await app.until(`document.querySelector(".framed iframe")`);
    await chat.height();
    return tab;
  },
};

/** Has the top of a chat keep the messages of frames that are not its app's. */
const LISTEN_IN_CHAT = `globalThis.said = [];
  addEventListener("message", ({ source, data }) =>
    source === chat.frame.contentWindow || said.push(data))`;

/** Outcomes under the policy of a chat, which is stricter. */
const IN_CHAT: Readonly<Record<string, string>> = { webRtc: "EvalError" };

/** Has the page show a run whose result has a page. */
const KEEP = (uri: string) =>
  `sessionStorage.setItem("run-9", JSON.stringify(${
    JSON.stringify({
      ...{ number: 9, code: "show()", inSession: false, ms: 1, lines: [] },
      answer: {
        structuredContent: {
          ...{ status: "success", output: [] },
          pages: [{ uri, title: "<b>x", about: "a page", size: 9 }],
        },
      },
    })
  }))`;

/** Calls a function of the library for Python that takes HTML. */
async function runPython(name: string, html: string): Promise<string> {
  const code = `import sys; sys.stdin.reconfigure(newline="")
from mcp_run_python._frames import *
sys.stdout.write(${name}(sys.stdin.read(), "<b>"))`;
  const child = new Deno.Command("python3", {
    args: ["-c", code],
    env: { PYTHONPATH, PYTHONUTF8: "1", PYTHONDONTWRITEBYTECODE: "1" },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const body = new Response(html).body;
  const [{ stdout }] = await Promise.all([
    child.output(),
    body?.pipeTo(child.stdin),
  ]);
  return new TextDecoder().decode(stdout);
}

/** Opens a file with this text. */
async function write(html: string, { browser, folder }: Parts): Promise<Tab> {
  const path = await Deno.makeTempFile({ dir: folder.path, suffix: ".html" });
  await Deno.writeTextFile(path, html);
  const blank = new URL("about:blank");
  const tab = await browser.open(blank, {}, { isPrivate: false });
  await tab.hearFrames();
  await tab.send("Page.addScriptToEvaluateOnNewDocument", { source: LISTEN });
  await tab.go(new URL(`file://${path}`));
  return tab;
}

Deno.test("the library for Python frames HTML as the program does", async () => {
  const all =
    `"'&amp;<\u2028\0é{page}{title}$& SrcDoc &ſrcdoc <LINK> <link/<linker
<link\t<link\u00a0 a<link\f<lınk <lin\u212a >\r\n`;
  for (const html of ["", all, attackPage({ url: "a", tcp: 1, udp: 2 })]) {
    assertEquals(
      await runPython("to_framed_page", html),
      toFramedPage(html, { title: "<b>" }),
    );
  }
});

for (const [place, show] of Object.entries(PLACES)) {
  Deno.test({
    name:
      `escape: HTML of Python in ${place} reaches nothing outside its frame`,
    ignore: CHROMIUM === undefined,
    async fn() {
      const parts = await open();
      const { browser, outside } = parts;
      const tab = await show(attackPage(outside.places), parts);
      const before = await tab.eval(SEEN);
      await tab.until(`said.some(({ isDone }) => isDone)`);
      const { outcomes } = Object(
        await tab.eval(`said.find(({ isDone }) => isDone)`),
      ) as Outcomes;
      const isInChat = place === "the app in a chat";
      const refused = { ...REFUSED, ...(isInChat ? IN_CHAT : {}) };
      for (const [name, outcome] of Object.entries(outcomes)) {
        assertEquals(outcome, refused[name] ?? "done", name);
      }
      assertEquals(await tab.eval(`said.includes("nested")`), false);
      assertEquals(await tab.eval(SEEN), before);
      const dialogs = tab.complaints.filter((text) =>
        text.includes('"message":"attack"')
      );
      assertEquals(dialogs, []);
      const { targetInfos } = await browser.send("Target.getTargets");
      const pages = Object.values(Object(targetInfos))
        .filter((info) => Object(info).type === "page")
        .map((info) => String(Object(info).url));
      for (const url of pages) {
        assert(!url.startsWith(outside.places.url), url);
      }
      for await (const { name } of Deno.readDir(browser.folder)) {
        assert(!/^[ab]\.txt/.test(name), `downloaded ${name}`);
      }
      assertEquals(outside.hits, []);
    },
  });

  Deno.test({
    name: `escape: HTML of Python in ${place} takes its frame nowhere else`,
    ignore: CHROMIUM === undefined,
    async fn() {
      const parts = await open();
      const { outside } = parts;
      const pages = Object.entries(leavingPages(outside.places));
      for (const [name, html] of pages) {
        const tab = await show(html, parts);
        const isOver = () =>
          outside.hits.length > 0 ||
          tab.complaints.some((text) => text.includes("Framing"));
        while (!isOver()) await tab.eval("1");
        assertEquals(outside.hits, [], name);
      }
    },
  });

  Deno.test({
    name:
      `HTML of Python in ${place} that never ends leaves the rest answering`,
    ignore: CHROMIUM === undefined,
    async fn() {
      const tab = await show(ENDLESS, await open());
      await tab.until(`said.includes("endless")`);
      assertEquals(await tab.eval("1 + 1"), 2);
    },
  });
}

Deno.test({
  name: "escape: a page of Python cannot fill the frame of another",
  ignore: CHROMIUM === undefined,
  async fn() {
    const { browser, server } = await open();
    const tab = await browser.open(new URL("/", server.url));
    const says = (text: string) =>
      `<script>top.postMessage("${text}", "*")</` + "script>";
    const attack = `<script>
      const page = ${JSON.stringify(says("attack")).replace("</", "<\\/")};
      setInterval(() => {
        parent.frames[1].postMessage(page, "*");
        top.postMessage("sent", "*");
      });
    </script>`;
    await tab.eval(LISTEN);
    await tab.eval(`(async () => {
      const add = () => new Promise((resolve) => {
        const frame = document.createElement("iframe");
        frame.src = "frame";
        frame.onload = () => resolve(frame.contentWindow);
        document.body.append(frame);
      });
      const [one, other] = [await add(), await add()];
      one.postMessage(${JSON.stringify(attack)}, "*");
      // The attack has come to the other frame by then.
      while (said.length < 5) await new Promise((go) => setTimeout(go));
      other.postMessage(${JSON.stringify(says("right"))}, "*");
    })()`);
    await tab.until(`said.includes("right") || said.includes("attack")`);
    assertEquals(await tab.eval(`said.includes("attack")`), false);
  },
});

/** Where the top is, and that nothing has made it huge. */
const SEEN =
  `[location.href, document.title, document.documentElement.scrollHeight < 9999]`;
