/**
 * The MCP App as a user has it: in a chat that is the official host, in a browser, with
 * a real server over HTTP.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import type { Browser, Page, Tab } from "./browser.ts";
import { tempFolder } from "./folder.ts";
import { type HttpServer, startHttp } from "./http_server.ts";

const read = (path: string) =>
  Deno.readTextFile(new URL(`app_host/${path}`, import.meta.url));

/** The policy of a chat for an app that asks for no origin, by the specification. */
export const POLICY = [
  ...["default-src 'none'", "script-src 'self' 'unsafe-inline'"],
  ...["style-src 'self' 'unsafe-inline'", "img-src 'self' data:"],
  ...["media-src 'self' data:", "connect-src 'none'", "frame-src 'none'"],
  ...["object-src 'none'", "base-uri 'self'"],
].join("; ");

export interface AppHost extends AsyncDisposable {
  server: HttpServer;
  /** Opens a chat that has the app of a tool. */
  open(browser: Browser, options?: OpenOptions): Promise<Chat>;
}

export interface OpenOptions {
  tool?: string;
  isLegacy?: boolean;
  /** Of the chat, as the specification has it. */
  context?: Record<string, unknown>;
  /** Of the chat; all if absent. */
  capabilities?: Record<string, unknown>;
  media?: Record<string, string>;
  /** See `Browser.open()`. */
  isPrivate?: boolean;
}

export interface Chat {
  tab: Tab;
  app: Page;
  /** Has the model call the tool. */
  call(args: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Has the app show an answer of a test. */
  give(
    args: Record<string, unknown>,
    answer: Record<string, unknown>,
  ): Promise<unknown>;
  /** The app's height, once the chat gives it that. */
  height(): Promise<number>;
  /** What the app has asked of the chat, by its kind. */
  asked(what: string): Promise<unknown[]>;
}

/** @param args Options of the server. */
export async function startAppHost(args: string[] = []): Promise<AppHost> {
  const script = await bundle();
  const between = await read("sandbox.html");
  const html = (text: string, headers: Record<string, string> = {}) =>
    new Response(text, {
      headers: { "content-type": "text/html; charset=utf-8", ...headers },
    });
  const host = serve((path) =>
    path === "/host.js"
      ? new Response(script, { headers: { "content-type": "text/javascript" } })
      : html(
        `<!doctype html><meta charset="utf-8"><title>Chat</title>
<style>
body { margin: 16px; color-scheme: light dark; background: light-dark(#fff, #1a1c20) }
iframe { width: 100%; height: 40px; border: 0; border-radius: 8px }
</style><script type="module" src="host.js"></script>`,
      )
  );
  const sandbox = serve(() =>
    html(between, { "content-security-policy": POLICY })
  );
  const server = await startHttp([
    ...["--allowed-origin", host.origin],
    ...args,
  ]);
  return {
    server,
    async open(browser, options = {}) {
      const { tool = "run_python_code", media, isLegacy } = options;
      const { isPrivate = true } = options;
      const { context, capabilities } = options;
      const query = isLegacy ? "?legacy" : "";
      const tab = await browser.open(
        ...[new URL(`${host.origin}/${query}`), media, { isPrivate }] as const,
      );
      const url = JSON.stringify(server.url.href);
      await tab.until("globalThis.chat");
      await tab.eval(`chat.connect(${url})`);
      const asked = {
        ...{ context, capabilities },
        sandbox: `${sandbox.origin}/?host=${encodeURIComponent(host.origin)}`,
      };
      await tab.eval(`chat.open("${tool}", ${JSON.stringify(asked)})`);
      const app = await tab.frame(0, 0);
      return {
        ...{ tab, app },
        async height() {
          for (;;) {
            const [own, given] = [
              await app.eval(
                "Math.ceil(document.documentElement.getBoundingClientRect().height)",
              ),
              await tab.eval("chat.frame.clientHeight"),
            ];
            if (own === given) return Number(own);
          }
        },
        call: async (args) =>
          Object(
            await tab.eval(`chat.call("${tool}", ${JSON.stringify(args)})`),
          ),
        give: (args, answer) =>
          tab.eval(
            `chat.give(${JSON.stringify(args)}, ${JSON.stringify(answer)})`,
          ),
        asked: async (what) => {
          const all = await tab.eval(`chat.asked`);
          return Array.isArray(all)
            ? all.filter((one) => one.what === what).map(({ given }) => given)
            : [];
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      for (const one of [host, sandbox]) one.end();
    },
  };
}

function serve(answer: (path: string) => Response) {
  const ending = new AbortController();
  const { signal } = ending;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {}, signal },
    ({ url }) => answer(new URL(url).pathname),
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  // A browser may still have connections.
  return { origin, end: () => ending.abort() };
}

async function bundle(): Promise<string> {
  await using folder = await tempFolder();
  const file = `${folder.path}/host.js`;
  const main = new URL("app_host/host_page.ts", import.meta.url);
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["bundle", "--quiet", "--platform", "browser", "--minify"],
      ...["--output", file, fileURLToPath(main)],
    ],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return await Deno.readTextFile(file);
}
