/**
 * A web page that attacks a server without tokens, in a real browser.
 *
 * @module
 */
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { Browser, maybeChromium } from "./support/browser.ts";
import { startHttp } from "./support/http_server.ts";
import { HEADERS } from "./support/mcp_post.ts";

const CHROMIUM = maybeChromium();
if (!CHROMIUM) log("skipped: attacks of web pages: needs a Chromium");

/** A call that leaves a session behind, without a head that a page must ask for. */
const CALL = {
  method: "POST",
  headers: HEADERS,
  body: JSON.stringify({
    ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
    params: {
      name: "run_python_code",
      // A form writes the = of the body.
      arguments: { session: "new", python_code: "a=42\na" },
    },
  }),
};

/** What a page tries; each way ends with the page's own view of its outcome. */
const WAYS = `{
  json: () => fetch(url, call).then((answer) => answer.text()),
  preflightOnly: () => fetch(url, { method: "DELETE" }).then(() => "read"),
  read: () => fetch(url).then(() => "read"),
  plainText: () => fetch(url, { method: "POST", body: call.body }),
  unread: () =>
    fetch(url, { method: "POST", mode: "no-cors", body: call.body })
      .then(({ type }) => type),
  beacon: () =>
    Promise.resolve(navigator.sendBeacon(url, call.body) && "sent"),
  form: () => inFrame((frame) => {
    const form = document.createElement("form");
    const input = document.createElement("input");
    Object.assign(form, { action: url, method: "POST", enctype: "text/plain" });
    [input.name, input.value] = call.body.split("=");
    form.target = frame.name;
    form.append(input);
    document.body.append(form);
    form.submit();
  }),
  frame: () => inFrame((frame) => frame.src = url),
  script: () => element("script"),
  picture: () => element("img"),
  events: () => new Promise((resolve) => {
    const events = new EventSource(url);
    events.onerror = () => resolve("refused");
    events.onopen = () => resolve("open");
  }),
  socket: () => new Promise((resolve) => {
    const socket = new WebSocket(url.replace("http", "ws"));
    socket.onerror = () => resolve("refused");
    socket.onopen = () => resolve("open");
  }),
}`;

const HELPERS = `
  const inFrame = (use) => new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.name = "target" + Math.random();
    document.body.append(frame);
    frame.onload = () => resolve("loaded");
    use(frame);
  });
  const element = (name) => new Promise((resolve) => {
    const one = document.createElement(name);
    one.onerror = () => resolve("refused");
    one.onload = () => resolve("loaded");
    one.src = url;
    document.body.append(one);
  });`;

Deno.test({
  name: "escape: a page in a browser runs nothing on a server of this machine",
  ignore: !CHROMIUM,
  async fn() {
    const html = { "content-type": "text/html" };
    await using pages = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      () => new Response("<!doctype html><title>x</title>", { headers: html }),
    );
    const allowed = new URL(`http://localhost:${pages.addr.port}/`);
    await using server = await startHttp(["--allowed-origin", allowed.origin], {
      command: "streamable-http-stateless",
    });
    await using browser = await Browser.start(CHROMIUM ?? "");
    const tab = await browser.open(
      new URL(`http://127.0.0.1:${pages.addr.port}/`),
    );
    const attack = (names: string) =>
      `(async () => {
      const url = ${JSON.stringify(server.url.href)};
      const call = ${JSON.stringify(CALL)};
      ${HELPERS}
      const outcomes = {};
      for (const [name, way] of Object.entries(${WAYS})) {
        if (!name.match(/${names}/)) continue;
        outcomes[name] = await way().catch(() => "refused");
      }
      return outcomes;
    })()`;
    const outcomes = Object(await tab.eval(attack(".")));
    // A page cannot tell the outcome of these; the sessions below can.
    assertEquals(outcomes, {
      ...{ json: "refused", preflightOnly: "refused", read: "refused" },
      ...{ plainText: "refused", unread: "opaque", beacon: "sent" },
      ...{ form: "loaded", frame: "loaded", script: "refused" },
      ...{ picture: "refused", events: "refused", socket: "refused" },
    });
    await using client = await server.connect();
    const sessions = async () => {
      const { structuredContent } = await client.client.callTool({
        name: "list_sessions",
      });
      return Object(structuredContent).sessions.length;
    };
    assertEquals(await sessions(), 0);
    await tab.go(allowed);
    const { json } = Object(await tab.eval(attack("json")));
    assertMatch(json, /"return_value":42/);
    assertEquals(await sessions(), 1);
  },
});
